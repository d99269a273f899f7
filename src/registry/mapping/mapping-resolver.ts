import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailed } from '../../common/errors.ts';
import type { Violation } from '../../common/violation.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
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

/** A mapping to store for a group. */
export interface SentMapping {
  sent: readonly SentEntry[];
  /** The entries that the group has; empty if it is new. */
  stored: readonly ResolvedEntry[];
}

/** Finds the registered things that mappings name. */
@Injectable()
export class MappingResolver {
  constructor(private readonly statements: Statements) {}

  /**
   * Resolves the entries of each mapping, in one statement, or returns why a mapping is not
   * acceptable: an entry names nothing, or two of them the same schema. An entry that the group has
   * already keeps what it was resolved to: what is registered later must not change which data a
   * group sees.
   */
  async resolveAll(
    manager: EntityManager,
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
    manager: EntityManager,
    workspaceId: number,
    entries: readonly SentEntry[],
  ): Promise<Map<string, Resolution>> {
    if (entries.length === 0) return new Map();
    const rows = await this.statements.run(manager, resolveEntries, {
      workspaceId,
      entries: [...byKey(entries).values()],
    });
    return byKey(rows);
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
