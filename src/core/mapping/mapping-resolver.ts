import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailed } from '../../platform/common/problem/errors.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import {
  type Resolution,
  resolutionColumns,
  resolutionViolations,
  resolvingJoins,
} from './resolution.ts';
import type { ResolvedEntry, SentEntry } from './resolved-mapping.ts';

const ENTRY = { schemaId: 'text', dataSource: 'text', dataSourceType: 'text' } as const;

const resolveEntries = statement<
  { workspaceId: number; entries: readonly SentEntry[] },
  Resolution & SentEntry
>(
  'mapping-resolver.resolve',
  (dialect) => `
    SELECT ${resolutionColumns}, m.data_source AS "dataSource",
      m.data_source_type AS "dataSourceType"
    FROM (
      SELECT "schemaId" AS schema_id, "dataSource" AS data_source,
        "dataSourceType" AS data_source_type
      FROM ${dialect.recordsOf(':entries', ENTRY)}
    ) m
    ${resolvingJoins(dialect)}`,
);

export interface SentMapping {
  sent: readonly SentEntry[];
  /** The existing entries of the group; empty if it is new. */
  stored: readonly ResolvedEntry[];
}

@Injectable()
export class MappingResolver {
  constructor(private readonly statements: Statements) {}

  /**
   * Resolves the entries of all mappings in one statement, or returns the reason for refusing a mapping: an entry names
   * nothing, or two entries name one schema. An existing entry keeps its resolution: a later registration must not
   * change which data a group sees.
   * @param manager of the transaction to read in, if there is one
   */
  async resolveAll(
    manager: EntityManager | undefined,
    workspaceId: number,
    mappings: readonly SentMapping[],
  ): Promise<(ResolvedEntry[] | ValidationFailed)[]> {
    const kept = mappings.map(({ stored }) => byKey(stored.filter(isResolved)));
    const isNew = (entry: SentEntry, index: number) => !kept[index]!.has(keyOf(entry));
    const unknown = mappings.flatMap(({ sent }, index) =>
      sent.filter((entry) => isNew(entry, index)),
    );
    const found = await this.find(manager, workspaceId, unknown);
    return mappings.map(({ sent }, index) => {
      const resolved = sent.map((entry) => {
        const key = keyOf(entry);
        return kept[index]!.get(key) ?? toResolved(entry, found.get(key));
      });
      const violations = violationsOf(resolved);
      return violations.length > 0 ? new ValidationFailed(violations) : resolved;
    });
  }

  private async find(
    manager: EntityManager | undefined,
    workspaceId: number,
    entries: readonly SentEntry[],
  ): Promise<Map<string, Resolution>> {
    if (entries.length === 0) return new Map();
    const parameters = { workspaceId, entries: [...byKey(entries).values()] };
    return byKey(await this.statements.read(resolveEntries, parameters, manager));
  }
}

function byKey<Entry extends SentEntry>(entries: readonly Entry[]): Map<string, Entry> {
  return new Map(entries.map((entry) => [keyOf(entry), entry]));
}

function isResolved({ schema, source }: ResolvedEntry): boolean {
  return schema !== null && source !== null;
}

function keyOf({ schemaId, dataSource, dataSourceType }: SentEntry): string {
  return JSON.stringify([schemaId, dataSource, dataSourceType]);
}

function toResolved(entry: SentEntry, found: Resolution | undefined): ResolvedEntry {
  const {
    schemaNumber = null,
    schemaProvidedId,
    sourceNumber = null,
    sourceProvidedId,
  } = found ?? ({} as Partial<Resolution>);
  return {
    ...entry,
    schema: schemaNumber === null ? null : { id: schemaNumber, providedId: schemaProvidedId! },
    source: sourceNumber === null ? null : { id: sourceNumber, providedId: sourceProvidedId! },
  };
}

function violationsOf(entries: readonly ResolvedEntry[]): Violation[] {
  const seen = new Map<number | undefined, number>();
  for (const { schema } of entries) seen.set(schema?.id, (seen.get(schema?.id) ?? 0) + 1);
  return entries.flatMap(({ schemaId, schema, source }) =>
    resolutionViolations(
      { schemaId, schemaNumber: schema?.id ?? null, sourceNumber: source?.id ?? null },
      seen.get(schema?.id)! > 1,
    ),
  );
}
