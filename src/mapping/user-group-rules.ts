import { LRUCache } from 'lru-cache';
import type { Violation } from '../common/problem/violation.ts';
import { toPointer } from '../common/json/json-pointer.ts';
import type { JsonObject, JsonValue } from '../common/json/strict-json.ts';
import type { Dialect } from '../database/dialect.ts';
import type { ResolvedEntry } from './resolved-mapping.ts';

/** `open` accepts any id in a mapping and resolves nothing; `registered` accepts ids of the registry. */
export const mappingPolicies = ['open', 'registered'] as const;
export type MappingPolicy = (typeof mappingPolicies)[number];

/** The JSON types of a required property; `integer` is a number without a fraction. */
export const propertyTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;
export type PropertyType = (typeof propertyTypes)[number];

interface RequiredProperty {
  name: string;
  type: PropertyType;
}

export interface SchemaIds {
  id: number;
  providedId: string;
}

/** The requirements of a workspace for every user group. */
export interface UserGroupRules {
  policy: MappingPolicy;
  requiredProperties: readonly RequiredProperty[];
  /** Keys of a mapping; under `registered` the callers' ids of schemas. */
  requiredSchemas: readonly string[];
  /** Maximum number of user groups, set by the operator; null for no limit. */
  userGroupQuota: number | null;
  /** All schemas of the workspace under `registered`, ordered by provided id; otherwise empty. */
  schemas: readonly SchemaIds[];
}

const NO_RULES: UserGroupRules = {
  policy: 'open',
  requiredProperties: [],
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
  CASE WHEN w.mapping_policy = 'open' AND w.required_properties = '[]' AND w.required_schemas = '[]'
    AND w.user_group_quota IS NULL
    THEN NULL
    ELSE CAST(${jsonArray}(w.mapping_policy, w.required_properties, w.required_schemas,
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
  const [policy, properties, requiredSchemas, userGroupQuota, schemas] = JSON.parse(text) as [
    MappingPolicy,
    string,
    string,
    number | null,
    string | null,
  ];
  return {
    policy,
    requiredProperties: JSON.parse(properties) as RequiredProperty[],
    requiredSchemas: JSON.parse(requiredSchemas) as string[],
    userGroupQuota,
    schemas: (JSON.parse(schemas ?? '[]') as [number, string][])
      .map(([id, providedId]) => ({ id, providedId }))
      .sort((a, b) => (a.providedId < b.providedId ? -1 : 1)),
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
export function shortcomingsOf(
  rules: UserGroupRules,
  { properties, mapping }: { properties: JsonObject; mapping: readonly ResolvedEntry[] },
): Violation[] {
  const mapped = new Set(mapping.map((entry) => mappedSchema(rules, entry)));
  return [
    ...rules.requiredProperties.flatMap((required) => propertyShortcomings(required, properties)),
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

function propertyShortcomings({ name, type }: RequiredProperty, properties: JsonObject): Violation[] {
  const pointer = toPointer(['properties', name]);
  if (!Object.hasOwn(properties, name)) {
    const detail = `The workspace requires every user group to have this property, of the type ${type}.`;
    return [{ pointer, code: 'required', detail }];
  }
  if (isOfType(properties[name]!, type)) return [];
  const detail = `The workspace requires this property to be of the type ${type}.`;
  return [{ pointer, code: 'type', detail }];
}

/** Tells whether a value has the type. `null` has none: it would be a variable without a value. */
function isOfType(value: JsonValue, type: PropertyType): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
  return typeof value === type;
}
