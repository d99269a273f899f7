import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { GroupReader } from '../../../platform/common/access/caller.ts';
import { seenBy } from '../../../platform/common/access/user-group-range.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { SharedReads } from '../../../platform/database/waves/shared-reads.ts';
import { UserGroupNotFound, UserGroupRenamed } from './user-group.errors.ts';

/** A group with one of its former ids. */
export interface FormerlyNamed {
  formerId: string;
  id: number;
  /** Its present id. */
  providedId: string;
  /** JSON text. */
  properties: string;
}

const findRenamed = statement<
  { workspaceId: number; formerIds: readonly string[]; now: number },
  FormerlyNamed
>('reserved-id.find', (dialect) =>
  dialect.forEachKey(
    ':formerIds',
    (key) => `
      SELECT r.provided_id AS "formerId", g.id, g.provided_id AS "providedId",
        g.properties
      FROM reserved_id r JOIN user_group g ON g.id = r.user_group_id
      WHERE r.workspace_id = :workspaceId AND ${key.is('r.provided_id')} AND r.reserved_until > CAST(:now AS bigint)`,
  ),
);

/** Finds the groups that have had an id, and have another one. Asked only about an id that no group has. */
@Injectable()
export class ReservedIds {
  private readonly reads = new SharedReads<FormerlyNamed>((workspaceId, ids) =>
    this.find(workspaceId, ids),
  );

  constructor(private readonly statements: Statements) {}

  /** @returns the groups by their former ids @param manager of the transaction to read in, if there is one */
  async find(
    workspaceId: number,
    formerIds: readonly string[],
    manager?: EntityManager,
  ): Promise<Map<string, FormerlyNamed>> {
    if (formerIds.length === 0) return new Map();
    const parameters = { workspaceId, formerIds, now: currentTime() };
    const rows = await this.statements.read(findRenamed, parameters, manager);
    return new Map(rows.map((row) => [row.formerId, row]));
  }

  /**
   * Returns the error of a call by an id that no group has for the reader.
   * @param absent the error if the id is not reserved, or for a group that does not exist for the reader
   */
  async refusal(
    reader: GroupReader,
    providedId: string,
    absent: Error = new UserGroupNotFound(),
  ): Promise<Error> {
    const group = seenBy(reader, await this.reads.read(reader.workspaceId, providedId));
    return group ? new UserGroupRenamed(providedId, group.providedId) : absent;
  }
}
