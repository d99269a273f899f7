import { LRUCache } from 'lru-cache';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { toPointer } from '../../platform/common/json-pointer.ts';
import type { JsonObject } from '../../platform/common/json/strict-json.ts';
import type { Dialect } from '../../platform/database/dialect.ts';
import type { ResolvedEntry } from './resolved-mapping.ts';
import { type DeclaredVariable, variableViolations } from './variables.ts';

/** `open` accepts any id in a mapping and resolves nothing; `registered` accepts ids of the registry. */
export const mappingPolicies = ['open', 'registered'] as const;
export type MappingPolicy = (typeof mappingPolicies)[number];

export interface SchemaIds {
  id: number;
  providedId: string;
}

/** The requirements of a workspace for every user group. */
export interface UserGroupRules {
  policy: MappingPolicy;
  variables: readonly DeclaredVariable[];
  /** Keys of a mapping; under `registered` the callers' ids of schemas. */
  requiredSchemas: readonly string[];
  /** Maximum number of user groups, set by the operator; null for no limit. */
  userGroupQuota: number | null;
  /** All schemas of the workspace under `registered`, ordered by provided id; otherwise empty. */
  schemas: readonly SchemaIds[];
}

const NO_RULES: UserGroupRules = {
  policy: 'open',
  variables: [],
  requiredSchemas: [],
  userGroupQuota: null,
  schemas: [],
};

/** Numbers that `Dialect.numberOf` reads. */
const DECIMAL = /^[1-9]\d{0,8}$/;

/** Parsed rules are cached: groups share them, and they can be tens of kilobytes. */
const MAX_KNOWN = 100;
const known = new LRUCache<string, UserGroupRules>({ max: MAX_KNOWN });

/**
 * A column with the rules of the workspace with the alias `w`, for `parseUserGroupRules`; null if it has none. The `||`
 * turns the list of schemas into a text: SQLite would recognise it as JSON and nest it.
 */
export const userGroupRulesColumn = ({ jsonArray, jsonArrayOf }: Dialect) => `
  CASE WHEN w.mapping_policy = 'open' AND w.variables = '[]' AND w.required_schemas = '[]'
    AND w.user_group_quota IS NULL
    THEN NULL
    ELSE CAST(${jsonArray}(w.mapping_policy, w.variables, w.required_schemas,
      w.user_group_quota,
      CASE WHEN w.mapping_policy = 'registered' THEN (
        SELECT '' || CAST(${jsonArrayOf}(${jsonArray}(s.id, s.provided_id)) AS text)
        FROM registered_schema s WHERE s.workspace_id = w.id) END) AS text)
  END`;

/** Parses the value of `userGroupRulesColumn`; equal texts return the same object. */
export function parseUserGroupRules(text: string | null): UserGroupRules {
  if (text === null) return NO_RULES;
  let rules = known.get(text);
  if (!rules) {
    rules = parseRules(text);
    known.set(text, rules);
  }
  return rules;
}

function parseRules(text: string): UserGroupRules {
  const [policy, variables, requiredSchemas, userGroupQuota, schemas] = JSON.parse(text) as [
    MappingPolicy,
    string,
    string,
    number | null,
    string | null,
  ];
  return {
    policy,
    variables: JSON.parse(variables) as DeclaredVariable[],
    requiredSchemas: JSON.parse(requiredSchemas) as string[],
    userGroupQuota,
    schemas: (JSON.parse(schemas ?? '[]') as [number, string][])
      .map(([id, providedId]) => ({ id, providedId }))
      .sort((a, b) => (a.providedId < b.providedId ? -1 : 1)),
  };
}

/** Returns rules that are stored as texts, without a quota and the schemas of the registry. */
export function parseStoredRules(stored: {
  policy: MappingPolicy;
  variables: string;
  requiredSchemas: string;
}): UserGroupRules {
  return {
    ...NO_RULES,
    policy: stored.policy,
    variables: JSON.parse(stored.variables) as DeclaredVariable[],
    requiredSchemas: JSON.parse(stored.requiredSchemas) as string[],
  };
}

/** Finds the schema that a text names, as in a mapping: the caller's own id takes precedence over ours. */
export function schemaNamed(text: string, schemas: readonly SchemaIds[]): SchemaIds | undefined {
  return (
    schemas.find(({ providedId }) => providedId === text) ??
    schemas.find(({ id }) => DECIMAL.test(text) && id === Number(text))
  );
}

/**
 * Lists the missing requirements of a user group, with places in its body; empty if it is complete. Writes, reports and
 * introspection all use this check.
 */
export function missingRequirements(
  rules: UserGroupRules,
  { properties, mapping }: { properties: JsonObject; mapping: readonly ResolvedEntry[] },
): Violation[] {
  const mapped = new Set(mapping.map((entry) => mappedSchema(rules, entry)));
  return [
    ...rules.variables.flatMap((variable) => variableViolations(variable, properties)),
    ...rules.requiredSchemas
      .filter((schema) => !mapped.has(schema))
      .map((schema): Violation => {
        const pointer = toPointer(['mapping', schema]);
        const detail = 'The workspace requires every user group to map this schema.';
        return { pointer, code: 'required', detail };
      }),
  ];
}

function mappedSchema({ policy }: UserGroupRules, entry: ResolvedEntry): string | undefined {
  return policy === 'registered' ? entry.schema?.providedId : entry.schemaId;
}
