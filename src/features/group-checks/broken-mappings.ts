import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import {
  type Resolution,
  resolutionColumns,
  resolvingJoins,
} from '../../core/mapping/resolution.ts';
import type { SentEntry } from '../../core/mapping/resolved-mapping.ts';
import { WorkspaceRules } from '../../core/mapping/workspace-rules.ts';
import { ENTRIES_IN_RANGE, findRangeEnd, type GroupRange, groupRanges } from './group-range.ts';

export interface DeletedEntry {
  type: 'schema' | 'data_source';
  id: number;
  providedId: string;
}

/** A user group with a mapping entry that named a deleted entry of the registry and names nothing now. */
export interface BrokenMapping<Deleted extends DeletedEntry> {
  userGroupId: number;
  providedId: string;
  version: number;
  /** The key of the first such entry. */
  schemaId: string;
  deleted: Deleted;
}

interface Row extends Resolution, SentEntry {
  id: number;
  providedId: string;
  version: number;
}

const listUnresolved = statement<GroupRange, Row>(
  'broken-mappings.list-unresolved',
  (dialect) => `
    SELECT r.* FROM (
      SELECT g.id, g.provided_id AS "providedId", g.version, ${resolutionColumns},
        m.data_source AS "dataSource", m.data_source_type AS "dataSourceType"
      FROM ${ENTRIES_IN_RANGE}
      ${resolvingJoins(dialect)}
    ) r
    WHERE r."schemaNumber" IS NULL OR r."sourceNumber" IS NULL
    ORDER BY r.id, r."schemaId"`,
);

/** Bounds the numbers that an entry can name one of the registry by; see `Dialect.numberOf`. */
const NUMBERS_END = 1_000_000_000;

@Injectable()
export class BrokenMappings {
  constructor(
    private readonly statements: Statements,
    private readonly rules: WorkspaceRules,
  ) {}

  /**
   * Passes such groups of the workspace to `visit`, range by range, in the transaction that has found them and in which
   * neither the registry nor the policy can change. Under `registered` there are none.
   * @param deleted in the order of their deletion: if several have one name, an entry named the last
   * @throws DatabaseUnavailable; the reason of the signal when it aborts
   */
  async visit<Deleted extends DeletedEntry>(
    workspaceId: number,
    deleted: readonly Deleted[],
    visit: (manager: EntityManager, found: BrokenMapping<Deleted>[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    let { policy } = await this.rules.read(workspaceId);
    const named = new Map(deleted.flatMap((one) => namesOf(one).map((name) => [name, one])));
    const ranges = groupRanges(workspaceId, (parameters) =>
      this.statements.read(findRangeEnd, parameters),
    );
    for await (const range of ranges) {
      signal.throwIfAborted();
      if (policy !== 'open') return;
      // Most ranges have none, and need no transaction.
      const found = findBroken(await this.statements.read(listUnresolved, range), named);
      if (found.length === 0) continue;
      policy = await this.rules.runWithSharedLock(workspaceId, async (manager) => {
        const present = await this.rules.read(workspaceId, manager);
        if (present.policy === 'open') {
          const rows = await this.statements.run(manager, listUnresolved, range);
          await visit(manager, findBroken(rows, named));
        }
        return present.policy;
      });
    }
  }
}

/** Lists the spellings of a mapping entry that names the deleted one. */
function namesOf({ type, id, providedId }: DeletedEntry): string[] {
  const number = id < NUMBERS_END ? [String(id)] : [];
  return [
    ...[providedId, ...number].map((text) => nameOf(type, 'string', text)),
    ...(type === 'data_source' ? number.map((text) => nameOf(type, 'integer', text)) : []),
  ];
}

function nameOf(
  type: DeletedEntry['type'],
  sentAs: SentEntry['dataSourceType'],
  text: string,
): string {
  return `${type} ${sentAs} ${text}`;
}

/** Finds each deleted entry once for each group; the rows of one group are adjacent. */
function findBroken<Deleted extends DeletedEntry>(
  rows: readonly Row[],
  named: ReadonlyMap<string, Deleted>,
): BrokenMapping<Deleted>[] {
  let lastId: number | undefined;
  let seen = new Set<Deleted>();
  return rows.flatMap((row) => {
    if (row.id !== lastId) seen = new Set();
    lastId = row.id;
    const { id: userGroupId, providedId, version, schemaId } = row;
    const entries = new Set(unresolvedNames(row).flatMap((name) => named.get(name) ?? []));
    const unseen = [...entries].filter((one) => !seen.has(one));
    for (const one of unseen) seen.add(one);
    return unseen.map((deleted) => ({ userGroupId, providedId, version, schemaId, deleted }));
  });
}

function unresolvedNames(row: Row): string[] {
  return [
    ...(row.schemaNumber === null ? [nameOf('schema', 'string', row.schemaId)] : []),
    ...(row.sourceNumber === null
      ? [nameOf('data_source', row.dataSourceType, row.dataSource)]
      : []),
  ];
}
