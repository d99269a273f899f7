import type { JsonObject, JsonValue } from '../../../platform/common/json/strict-json.ts';

/** The tools that a target can be for; `jwt` is any other that verifies a JWT. */
export const targetKinds = [
  'superset',
  'metabase-embed',
  'metabase-sso',
  'lightdash',
  'cube',
  'grafana',
  'jwt',
] as const;
export type TargetKind = (typeof targetKinds)[number];

/** The algorithms of signatures with keys of a target (RFC 7518, section 3.1). */
export const targetAlgorithms = ['HS256', 'RS256', 'ES256'] as const;
export type TargetAlgorithm = (typeof targetAlgorithms)[number];

/** The types of values that a row filter may have: their texts mean the same to every reader of SQL. */
export const literalTypes = ['integer', 'boolean', 'date', 'uuid', 'word'] as const;
export type LiteralType = (typeof literalTypes)[number];

export const filterOperators = ['=', '<', '<=', '>', '>=', 'in'] as const;

/** One condition on the rows of one dataset. */
export interface RowFilter {
  dataset: number;
  column: string;
  op: (typeof filterOperators)[number];
  type: LiteralType;
  /** The only words that a value may be, of the type `word`. */
  allowed?: string[];
  /** A literal, a list of them, or a reference. */
  value: JsonValue;
}

/** A key of a target without its secret part. */
export interface TargetKey {
  id: string;
  /** When it was stored, in milliseconds since 1970. */
  stored_at: number;
  /** The public key of RS256 and ES256, as RFC 7517 writes it. */
  public_jwk?: JsonObject;
}

/** A target as it is stored, but for its name and its secrets. */
export interface TargetDefinition {
  kind: TargetKind;
  audience: string | null;
  max_seconds: number;
  claims: JsonObject;
  row_filters: RowFilter[];
  email_domain: string | null;
  /** Whether the tool may show everything of the resource to every group. */
  unfiltered: boolean;
  /** Null if the key of the workspace signs. The first of the keys signs. */
  signing: { alg: TargetAlgorithm; keys: TargetKey[] } | null;
}
