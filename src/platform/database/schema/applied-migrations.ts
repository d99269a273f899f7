import { Injectable } from '@nestjs/common';
import { DatabaseUnavailable } from '../../common/problem/errors.ts';
import { ServiceError } from '../../common/problem/problem.ts';
import { statement } from '../statement.ts';
import { Statements } from '../statements.ts';
import { ownSchema } from './own-schema.ts';

const listApplied = statement<Record<string, never>, { name: string }>(
  'migration.list-applied',
  () => 'SELECT name FROM migration ORDER BY "timestamp", id',
);

/** The migrations that the database has seen. */
@Injectable()
export class AppliedMigrations {
  constructor(private readonly statements: Statements) {}

  /**
   * Counts the applied migrations of any version, and the pending ones of this version.
   * @throws DatabaseUnavailable also if there is no record of migrations
   */
  async count(): Promise<{ applied: number; pending: number; latest: string | null }> {
    const rows = await this.statements.read(listApplied, {}).catch((error: unknown) => {
      throw error instanceof ServiceError ? error : new DatabaseUnavailable(error);
    });
    const applied = rows.map(({ name }) => name);
    const pending = ownSchema().migrations.filter(({ name }) => !applied.includes(name));
    return { applied: applied.length, pending: pending.length, latest: applied.at(-1) ?? null };
  }
}
