import type { JsonValue } from '../../../platform/common/json/strict-json.ts';
import type { IntrospectionResponse } from '../../../core/introspection/dto/introspection-response.dto.ts';
import { valueAt } from '../../../core/mapping/variables.ts';
import { toHeaderJson, toHeaderText } from './header-value.ts';

/** The value of a header that has none: nobody acts for the group. */
const NOBODY = '-';

const variableTypes = ['string', 'number', 'boolean', 'json'] as const;
type VariableType = (typeof variableTypes)[number];

/** The place that gives a header its value. */
export type HeaderSource =
  { of: 'variable'; path: readonly string[]; type: VariableType } | { of: keyof typeof VALUES };

const VARIABLE = /^variables\.([^:]+)(?::([a-z]+))?$/;

/** The sources but variables. A reader returns undefined if the viewer has no such value. */
const VALUES = {
  sub: ({ sub }: IntrospectionResponse) => textOf(sub),
  team_id: ({ team_id }: IntrospectionResponse) => numberOf(team_id),
  name: ({ name }: IntrospectionResponse) => textOf(name),
  act: ({ act }: IntrospectionResponse) => (act ? actorOf(act.sub) : NOBODY),
  user_id: ({ user_id }: IntrospectionResponse) => textOf(user_id),
  user_name: ({ user_name }: IntrospectionResponse) => textOf(user_name),
  email: ({ email }: IntrospectionResponse) => textOf(email),
  resources: ({ resources }: IntrospectionResponse) =>
    resources && toHeaderJson(resources as unknown as JsonValue),
  data_source: dataSourceOf,
};

/** Reads the source of a header, such as `variables.address.country:string`; undefined if there is no such source. */
export function toHeaderSource(text: string): HeaderSource | undefined {
  if (Object.hasOwn(VALUES, text)) return { of: text as keyof typeof VALUES };
  const [, path, type = 'string'] = VARIABLE.exec(text) ?? [];
  if (path === undefined || !variableTypes.includes(type as VariableType)) return undefined;
  return { of: 'variable', path: path.split('.'), type: type as VariableType };
}

/** Returns the value of a header, visible ASCII; undefined if there is none of its type, or an empty one. */
export function headerValueOf(
  source: HeaderSource,
  viewer: IntrospectionResponse,
): string | undefined {
  const value = source.of === 'variable' ? variableOf(source, viewer) : VALUES[source.of](viewer);
  return value === '' ? undefined : value;
}

function variableOf(
  { path, type }: HeaderSource & { of: 'variable' },
  { variables, properties }: IntrospectionResponse,
): string | undefined {
  // A workspace that declares no variables has its properties in their place.
  const value = valueAt(variables ?? properties ?? {}, path);
  if (value === undefined || value === null) return undefined;
  if (type === 'json') return isEmpty(value) ? undefined : toHeaderJson(value);
  if (typeof value === 'object' || typeof value !== type) return undefined;
  return toHeaderText(String(value));
}

/** Tells whether an application could read a value as no filter. */
function isEmpty(value: JsonValue): boolean {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

/** Returns the data source of the one schema that was asked for, by the caller's own id. */
function dataSourceOf({ mapping = {} }: IntrospectionResponse): string | undefined {
  const [source] = Object.values(mapping);
  if (source === undefined) return undefined;
  return toHeaderText(typeof source === 'object' ? source.provided_id : String(source));
}

function textOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toHeaderText(text);
}

function numberOf(number: number | undefined): string | undefined {
  return number === undefined ? undefined : String(number);
}

/** Writes who acts, and nobody's mark otherwise than as nobody. */
function actorOf(sub: string): string | undefined {
  return sub === NOBODY ? '%2D' : toHeaderText(sub);
}
