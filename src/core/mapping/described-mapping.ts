import { dataSourceAsSent, type ResolvedEntry } from './resolved-mapping.ts';
import { schemaNamed, type UserGroupRules } from './user-group-rules.ts';

/** A data source of a mapping, resolved in the registry. */
export interface DescribedDataSource {
  id: number;
  provided_id: string;
  name: string;
}

/** A mapping with the schemas and data sources that it refers to. */
export interface DescribedMapping {
  mapping: Record<string, string | number | DescribedDataSource>;
  /** The requested schemas without a data source; undefined if unknown. */
  unmapped?: string[];
}

/**
 * Describes a mapping for a renderer: as sent under `open`, resolved under `registered`. Lists schemas without an entry
 * in `unmapped`; never substitutes anything.
 * @param schemaId the one schema to describe; undefined for all
 */
export function describeMapping(
  rules: UserGroupRules,
  entries: readonly ResolvedEntry[],
  schemaId?: string,
): DescribedMapping {
  return rules.policy === 'open'
    ? describeOpen(entries, schemaId)
    : describeRegistered(rules, entries, schemaId);
}

function describeOpen(entries: readonly ResolvedEntry[], schemaId?: string): DescribedMapping {
  const described = entries.filter(
    (entry) => schemaId === undefined || entry.schemaId === schemaId,
  );
  const mapping = Object.fromEntries(
    described.map((entry) => [entry.schemaId, dataSourceAsSent(entry)]),
  );
  if (schemaId === undefined) return { mapping };
  return { mapping, unmapped: described.length === 0 ? [schemaId] : [] };
}

function describeRegistered(
  { schemas }: UserGroupRules,
  entries: readonly ResolvedEntry[],
  schemaId?: string,
): DescribedMapping {
  const requested = schemaId === undefined ? undefined : schemaNamed(schemaId, schemas);
  if (schemaId !== undefined && !requested) return { mapping: {}, unmapped: [schemaId] };
  const sources = new Map(entries.map(({ schema, source }) => [schema?.id, source]));
  const described = (requested ? [requested] : schemas).map(({ id, providedId }) => ({
    providedId,
    source: sources.get(id),
  }));
  return {
    mapping: Object.fromEntries(
      described.flatMap(({ providedId, source }) =>
        source
          ? [[providedId, { id: source.id, provided_id: source.providedId, name: source.name! }]]
          : [],
      ),
    ),
    unmapped: described.filter(({ source }) => !source).map(({ providedId }) => providedId),
  };
}
