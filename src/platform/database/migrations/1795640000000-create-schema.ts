import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OperatorRefusal } from '../../common/problem/operator-error.ts';
import { groupsAndRegistry } from './create-schema/groups-and-registry.ts';
import { history } from './create-schema/history.ts';
import { logAndEvents } from './create-schema/log-and-events.ts';
import { tenancyAndTokens } from './create-schema/tenancy-and-tokens.ts';
import { webhooksAndConsole } from './create-schema/webhooks-and-console.ts';
import { spellingOf } from './table-parts.ts';

/** The schema that every later migration changes. */
export class CreateSchema1795640000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const spelling = spellingOf(queryRunner);
    for (const part of [
      tenancyAndTokens,
      groupsAndRegistry,
      history,
      logAndEvents,
      webhooksAndConsole,
    ]) {
      for (const statement of part(spelling)) await queryRunner.query(statement);
    }
  }

  /** Undoing it would delete everything, the audit log included. */
  down(): Promise<void> {
    throw new OperatorRefusal(
      'The first migration cannot be undone, since that would delete everything; delete the database instead.',
    );
  }
}
