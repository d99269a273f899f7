import type { Violation } from '../../platform/common/problem/violation.ts';
import { toPointer } from '../../platform/common/json-pointer.ts';
import type { Dialect } from '../../platform/database/dialect.ts';

/** The registered schema and data source that an entry names; null for unknown ones. */
export interface Resolution {
  schemaId: string;
  schemaNumber: number | null;
  schemaProvidedId: string | null;
  sourceNumber: number | null;
  sourceProvidedId: string | null;
}

/**
 * Joins the schema and the data source that an entry of a mapping, the alias `m`, names. A string names the one with that
 * provided id, or else the one with that internal number, in canonical decimal digits; an integer names the internal
 * number. Every resolution uses these joins.
 */
export const resolvingJoins = ({ numberOf }: Dialect) => `
  LEFT JOIN registered_schema sp
    ON sp.workspace_id = :workspaceId AND sp.provided_id = m.schema_id
  LEFT JOIN registered_schema sn
    ON sn.workspace_id = :workspaceId AND sn.id = ${numberOf('m.schema_id')}
  LEFT JOIN registered_data_source dp
    ON dp.workspace_id = :workspaceId AND dp.provided_id = m.data_source
    AND m.data_source_type = 'string'
  LEFT JOIN registered_data_source dn
    ON dn.workspace_id = :workspaceId AND dn.id = ${numberOf('m.data_source')}`;

export const SCHEMA_NUMBER = 'COALESCE(sp.id, sn.id)';

export const resolutionColumns = `
  m.schema_id AS "schemaId",
  ${SCHEMA_NUMBER} AS "schemaNumber", COALESCE(sp.provided_id, sn.provided_id) AS "schemaProvidedId",
  COALESCE(dp.id, dn.id) AS "sourceNumber", COALESCE(dp.provided_id, dn.provided_id) AS "sourceProvidedId"`;

/** Lists the reasons why `registered` refuses an entry, with its place in the body; empty if it is accepted. */
export function resolutionViolations(
  entry: Pick<Resolution, 'schemaId' | 'schemaNumber' | 'sourceNumber'>,
  isRepeated: boolean,
): Violation[] {
  const pointer = toPointer(['mapping', entry.schemaId]);
  const violations: Violation[] = [];
  if (entry.schemaNumber === null) {
    const detail = 'No schema of the workspace has this id.';
    violations.push({ pointer, code: 'unknown_schema', detail });
  } else if (isRepeated) {
    const detail = 'Another key of the mapping names the same schema.';
    violations.push({ pointer, code: 'repeated', detail });
  }
  if (entry.sourceNumber === null) {
    const detail = 'No data source of the workspace has the id to which this schema is mapped.';
    violations.push({ pointer, code: 'unknown_data_source', detail });
  }
  return violations;
}
