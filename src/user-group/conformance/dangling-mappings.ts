import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import {
  type Resolution,
  resolutionColumns,
  resolvingJoins,
} from '../../registry/mapping/resolution.ts';
import type { SentEntry } from '../../registry/mapping/resolved-mapping.ts';
import { WorkspaceRules } from '../../registry/mapping/workspace-rules.ts';
import { ENTRIES_IN_RANGE, findRangeEnd, type GroupRange } from './group-range.ts';

/** A schema or data source that is no longer registered. */
export interface DeletedThing {
  type: 'schema' | 'data_source';
  id: number;
  providedId: string;
}

/** A user group whose mapping has an entry that named a deleted thing and names nothing now. */
export interface DanglingMapping<Thing extends DeletedThing> {
  userGroupId: number;
  providedId: string;
  version: number;
  /** The key of the entry, of several the first. */
  schemaId: string;
  thing: Thing;
}

interface Row extends Resolution, SentEntry {
  id: number;
  providedId: string;
  version: number;
}

const listUnresolved = statement<GroupRange, Row>(
  'dangling-mappings.list-unresolved',
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

/** The numbers that an entry can name a thing by; see `Dialect.numberOf`. */
const NUMBERS_END = 1_000_000_000;

/** Finds the groups whose mappings were broken by the deletion of what they named. */
@Injectable()
export class DanglingMappings {
  constructor(
    private readonly statements: Statements,
    private readonly rules: WorkspaceRules,
  ) {}

  /**
   * Hands such groups of the workspace to `visit`, range by range, in the transaction that has found
   * them and in which neither the registry nor the policy can change. Under `registered` there are none.
   * @param things in the order of their deletion: of several with one name an entry named the last
   * @throws DatabaseUnavailable; the reason of the signal when it aborts
   */
  async visit<Thing extends DeletedThing>(
    workspaceId: number,
    things: readonly Thing[],
    visit: (manager: EntityManager, found: DanglingMapping<Thing>[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    let { policy } = await this.rules.read(workspaceId);
    const named = new Map(things.flatMap((thing) => namesOf(thing).map((name) => [name, thing])));
    for (let after = 0; policy === 'open';) {
      const [end] = await this.statements.read(findRangeEnd, { workspaceId, after });
      if (!end?.until) return;
      const range = { workspaceId, after, until: end.until };
      // Most ranges have none, and need no transaction.
      const found = findDangling(await this.statements.read(listUnresolved, range), named);
      if (found.length > 0) {
        policy = await this.rules.runWithSharedLock(workspaceId, async (manager, rules) => {
          if (rules.policy === 'open') {
            const rows = await this.statements.run(manager, listUnresolved, range);
            await visit(manager, findDangling(rows, named));
          }
          return rules.policy;
        });
      }
      after = end.until;
      // SQLite's statements block the process: between them other calls get to read.
      await setImmediate();
      signal.throwIfAborted();
    }
  }
}

/** Lists what an entry can have written to name the thing. */
function namesOf({ type, id, providedId }: DeletedThing): string[] {
  const number = id < NUMBERS_END ? [String(id)] : [];
  return [
    ...[providedId, ...number].map((text) => nameOf(type, 'string', text)),
    ...(type === 'data_source' ? number.map((text) => nameOf(type, 'integer', text)) : []),
  ];
}

function nameOf(
  type: DeletedThing['type'],
  sentAs: SentEntry['dataSourceType'],
  text: string,
): string {
  return `${type} ${sentAs} ${text}`;
}

/** Finds each thing once for each group; the rows of one group are adjacent. */
function findDangling<Thing extends DeletedThing>(
  rows: readonly Row[],
  named: ReadonlyMap<string, Thing>,
): DanglingMapping<Thing>[] {
  let lastId: number | undefined;
  let seen = new Set<Thing>();
  return rows.flatMap((row) => {
    if (row.id !== lastId) seen = new Set();
    lastId = row.id;
    const { id: userGroupId, providedId, version, schemaId } = row;
    const things = unresolvedNames(row).flatMap((name) => named.get(name) ?? []);
    return things
      .filter((thing) => !seen.has(thing) && seen.add(thing))
      .map((thing) => ({ userGroupId, providedId, version, schemaId, thing }));
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
