import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailed } from '../common/errors';
import { statement, Statements } from '../database/statement';
import {
  type Resolution,
  resolutionColumns,
  resolutionViolations,
  resolvingJoins,
} from './resolution';
import type { ResolvedEntry, SentEntry } from './resolved-mapping';

const resolveEntries = statement<{ workspaceId: number; entries: string }, Resolution>(
  'mapping-resolver.resolve',
  (dialect) => `
    SELECT ${resolutionColumns}
    FROM (
      SELECT e.value ->> 0 AS schema_id, e.value ->> 1 AS data_source,
        e.value ->> 2 AS data_source_type
      FROM ${dialect.elementsOf(':entries')}
    ) m
    ${resolvingJoins(dialect)}`,
);

/** Finds the registered things that a mapping names. */
@Injectable()
export class MappingResolver {
  constructor(private readonly statements: Statements) {}

  /**
   * The entries with what they name. One that is stored as it is sent keeps what it was resolved to:
   * what is registered later must not change which data a group sees.
   * @param stored the entries of the same group, resolved; empty if it is new
   * @throws ValidationFailed if an entry names nothing, or two of them one schema
   */
  async resolve(
    manager: EntityManager,
    workspaceId: number,
    sent: readonly SentEntry[],
    stored: readonly ResolvedEntry[],
  ): Promise<ResolvedEntry[]> {
    const usable = stored.filter(({ schema, source }) => schema && source);
    const kept = new Map(usable.map((entry) => [keyOf(entry), entry]));
    const fresh = sent.filter((entry) => !kept.has(keyOf(entry)));
    const found = await this.find(manager, workspaceId, fresh);
    const resolved = sent.map(
      (entry) => kept.get(keyOf(entry)) ?? toResolved(entry, found.get(entry.schemaId)),
    );
    refuseUnresolved(resolved);
    return resolved;
  }

  private async find(
    manager: EntityManager,
    workspaceId: number,
    entries: readonly SentEntry[],
  ): Promise<Map<string, Resolution>> {
    if (entries.length === 0) return new Map();
    const rows = await this.statements.run(manager, resolveEntries, {
      workspaceId,
      entries: JSON.stringify(
        entries.map(({ schemaId, dataSource, dataSourceType }) => [
          schemaId,
          dataSource,
          dataSourceType,
        ]),
      ),
    });
    return new Map(rows.map((row) => [row.schemaId, row]));
  }
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

function refuseUnresolved(entries: readonly ResolvedEntry[]): void {
  const seen = new Map<number | undefined, number>();
  for (const { schema } of entries) seen.set(schema?.id, (seen.get(schema?.id) ?? 0) + 1);
  const violations = entries.flatMap(({ schemaId, schema, source }) =>
    resolutionViolations(
      { schemaId, schemaNumber: schema?.id ?? null, sourceNumber: source?.id ?? null },
      seen.get(schema?.id)! > 1,
    ),
  );
  if (violations.length > 0) throw new ValidationFailed(violations);
}
