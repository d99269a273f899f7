import type { Dialect } from '../../platform/database/dialect.ts';

export interface SentEntry {
  schemaId: string;
  dataSource: string;
  dataSourceType: 'integer' | 'string';
}

interface Resolved {
  id: number;
  providedId: string;
}

/** An entry with its resolution when it was written; without one under the policy `open`. */
export interface ResolvedEntry extends SentEntry {
  schema: Resolved | null;
  /** The name is set if the entry was read from the database. */
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
 * A column with the mapping of the user group with the alias `g`, for `readResolvedMapping`. Its rows begin with the
 * three columns of `SentEntry`.
 */
export const resolvedMappingColumn = ({ jsonArray, jsonArrayOf }: Dialect) => `(
    SELECT CAST(${jsonArrayOf}(${jsonArray}(m.schema_id, m.data_source, m.data_source_type,
      s.id, s.provided_id, d.id, d.provided_id, d.name)) AS text)
    FROM data_source_mapping m
    LEFT JOIN registered_schema s ON s.id = m.registered_schema_id
    LEFT JOIN registered_data_source d ON d.id = m.registered_data_source_id
    WHERE m.user_group_id = g.id
  )`;

/** A value of `resolvedMappingColumn`, where null means no entry; or the entries themselves. */
export type StoredMapping = string | null | readonly ResolvedEntry[];

export function readResolvedMapping(stored: StoredMapping | undefined): readonly ResolvedEntry[] {
  if (typeof stored === 'object' && stored !== null) return stored;
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

/** Returns the data source in its original JSON type. */
export function dataSourceAsSent({ dataSource, dataSourceType }: SentEntry): string | number {
  return dataSourceType === 'integer' ? Number(dataSource) : dataSource;
}
