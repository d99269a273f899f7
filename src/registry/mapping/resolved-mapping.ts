import type { Dialect } from '../../database/dialect.ts';

/** One entry of a `mapping` as it was sent. */
export interface SentEntry {
  schemaId: string;
  /** An integer in its decimal digits. */
  dataSource: string;
  dataSourceType: 'integer' | 'string';
}

/** A registered schema or data source that an entry was resolved to. */
interface Resolved {
  id: number;
  providedId: string;
}

/** An entry with the things it was resolved to when it was written; under the policy `open` with none. */
export interface ResolvedEntry extends SentEntry {
  schema: Resolved | null;
  /** The name is set where the entry was read from the database. */
  source: (Resolved & { name?: string }) | null;
}

type StoredRow = [
  schemaId: string,
  dataSource: string,
  dataSourceType: SentEntry['dataSourceType'],
  schemaNumber: number | null,
  schemaProvidedId: string | null,
  sourceNumber: number | null,
  sourceProvidedId: string | null,
  sourceName: string | null,
];

/**
 * A column with the mapping of the user group with the alias `g`, for `readResolvedMapping`. Its
 * rows begin with the three columns that were sent.
 */
export const resolvedMappingColumn = ({ jsonArray, jsonArrayOf }: Dialect) => `(
    SELECT CAST(${jsonArrayOf}(${jsonArray}(m.schema_id, m.data_source, m.data_source_type,
      s.id, s.provided_id, d.id, d.provided_id, d.name)) AS text)
    FROM data_source_mapping m
    LEFT JOIN registered_schema s ON s.id = m.registered_schema_id
    LEFT JOIN registered_data_source d ON d.id = m.registered_data_source_id
    WHERE m.user_group_id = g.id
  )`;

/** Parses the value of `resolvedMappingColumn`; null is no entry. */
export function readResolvedMapping(stored: string | null | undefined): ResolvedEntry[] {
  return (JSON.parse(stored ?? '[]') as StoredRow[]).map(
    ([schemaId, dataSource, dataSourceType, schema, schemaText, source, sourceText, name]) => ({
      schemaId,
      dataSource,
      dataSourceType,
      schema: schema === null ? null : { id: schema, providedId: schemaText! },
      source: source === null ? null : { id: source, providedId: sourceText!, name: name! },
    }),
  );
}

/** Serialises entries as `resolvedMappingColumn` does. */
export function toStoredMapping(entries: readonly ResolvedEntry[]): string {
  return JSON.stringify(
    entries.map(({ schemaId, dataSource, dataSourceType, schema, source }) => [
      ...[schemaId, dataSource, dataSourceType],
      ...[schema?.id ?? null, schema?.providedId ?? null],
      ...[source?.id ?? null, source?.providedId ?? null, source?.name ?? null],
    ]),
  );
}

/** Returns the data source of an entry in the JSON type in which it was sent. */
export function dataSourceAsSent({ dataSource, dataSourceType }: SentEntry): string | number {
  return dataSourceType === 'integer' ? Number(dataSource) : dataSource;
}
