import type { Violation } from '../common/errors';
import { toPointer } from '../common/json/json-pointer';
import type { Dialect } from '../database/dialect';

/** What an entry of a mapping resolves to; null is unknown. */
export interface Resolution {
  schemaId: string;
  schemaNumber: number | null;
  schemaProvidedId: string | null;
  sourceNumber: number | null;
  sourceProvidedId: string | null;
}

/**
 * The rule by which an entry of a mapping, the alias `m`, names registered things of the workspace.
 * A string names what the caller gave that id, else what has it as our number in canonical decimal
 * digits; an integer names our number alone. Whoever resolves anything does it by these joins.
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

/** The columns of a `Resolution`. */
export const resolutionColumns = `
  m.schema_id AS "schemaId",
  ${SCHEMA_NUMBER} AS "schemaNumber", COALESCE(sp.provided_id, sn.provided_id) AS "schemaProvidedId",
  COALESCE(dp.id, dn.id) AS "sourceNumber", COALESCE(dp.provided_id, dn.provided_id) AS "sourceProvidedId"`;

/** Why an entry cannot be taken under `registered`, at its place in the body; empty if it can. */
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
