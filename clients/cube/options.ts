import type { Viewer, ViewerOptions } from '@user-group-service/client';
import type { CubeDriver, CubeErrorClass, WantedFilter } from './cube-types.js';

/** The id of a data source, as mappings have it. */
export type SourceId = string | number;

export interface UserGroupsOptions extends Pick<
  ViewerOptions<CubeDriver>,
  'introspector' | 'audience' | 'origin' | 'resource' | 'declarations'
> {
  /** The schema whose data source a viewer gets. */
  schema: string;
  /** The connection of each data source by the id that mappings have; 7 and "7" are two ids. There is no default. */
  dataSources: ReadonlyMap<SourceId, CubeDriver>;
  /**
   * Returns the filters that each query of a viewer gets in addition to its own; at least one. `variables` has the declared
   * variables alone.
   */
  filters?: (
    variables: Readonly<Record<string, unknown>>,
    viewer: Viewer<SourceId>,
  ) => readonly WantedFilter[];
  /** `true` says that a data source has the rows of one tenant alone. It takes the place of `filters`. */
  unfiltered?: true;
  /** The class of that name in `@cubejs-backend/api-gateway` of the Cube that runs. */
  CubejsHandlerError: CubeErrorClass;
  /** Whether the log has texts of errors, in which databases quote values of variables. Off by default. */
  logErrorTexts?: boolean;
}

type Options = Readonly<Record<string, unknown>>;
type Rule = (value: unknown, options: Options) => boolean;

/** The types of the client's `bindVariables`. */
const VARIABLE_TYPE = /^(string|integer|number|boolean|date|timestamp)(\[\])?\??$/;

const memberOf = (value: unknown, name: string) => (Object(value) as Options)[name];
const isText: Rule = (value) => typeof value === 'string' && value !== '';
const optional =
  (rule: Rule): Rule =>
  (value, options) =>
    value === undefined || rule(value, options);

/** Each option with its rule, and what it has to be. */
const RULES: Record<keyof UserGroupsOptions, readonly [Rule, string]> = {
  introspector: [
    (value) => typeof memberOf(value, 'introspect') === 'function',
    'a CachedIntrospector, or another object that introspects',
  ],
  schema: [isText, 'the id of a schema'],
  audience: [isText, 'the name of this Cube, which embed tokens for it have'],
  origin: [optional(isText), 'the site that embeds this Cube, or be left out'],
  resource: [
    optional((value) => isText(memberOf(value, 'type'), {}) && isText(memberOf(value, 'id'), {})),
    'an object with type and id, or be left out',
  ],
  dataSources: [
    (value) => value instanceof Map && value.size > 0 && [...value].every(isSource),
    'a Map that is not empty, from the ids of mappings to objects with the type of a database',
  ],
  declarations: [
    optional((value) => isObject(value) && Object.values(value).every(isVariableType)),
    'an object with a type of bindVariables for each variable, such as string or integer[]',
  ],
  filters: [
    (value, { unfiltered }) => (unfiltered === true) !== (typeof value === 'function'),
    'a function that returns filters, or be left out with unfiltered: true',
  ],
  unfiltered: [optional((value) => value === true), 'true, or be left out'],
  CubejsHandlerError: [isErrorClass, 'the class of that name of @cubejs-backend/api-gateway'],
  logErrorTexts: [optional((value) => typeof value === 'boolean'), 'true or false'],
};

/** @throws TypeError that names the first option that is missing, unknown or wrong */
export function requireOptions(options: unknown, env: Readonly<NodeJS.ProcessEnv>): void {
  if (!isObject(options)) throw new TypeError('userGroups needs options');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(RULES, name));
  if (unknown !== undefined) throw new TypeError(`userGroups has no option ${unknown}`);
  for (const [name, [isRight, expected]] of Object.entries(RULES)) {
    if (!isRight(options[name], options)) throw new TypeError(`${name} has to be ${expected}`);
  }
  if (env['CUBEJS_AGENT_ENDPOINT_URL']) {
    throw new TypeError(
      'CUBEJS_AGENT_ENDPOINT_URL has to be unset: Cube sends tokens of viewers there',
    );
  }
}

function isObject(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isVariableType(type: unknown): boolean {
  return typeof type === 'string' && VARIABLE_TYPE.test(type);
}

function isSource([id, driver]: [unknown, unknown]): boolean {
  const isId = isText(id, {}) || Number.isSafeInteger(id);
  return isId && isObject(driver) && isText(driver['type'], {});
}

/** Makes an error of the class: another one would lose its status. */
function isErrorClass(value: unknown): boolean {
  try {
    const made = new (value as new (...args: unknown[]) => unknown)(403, 'test', 'text');
    const { status, message } = made as { status?: unknown; message?: unknown };
    return made instanceof Error && status === 403 && message === 'text';
  } catch {
    return false;
  }
}
