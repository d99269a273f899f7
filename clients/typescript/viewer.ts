import { ApiError } from './api-error.js';
import type { Introspection } from './cached-introspector.js';
import { Refusal, type RefusalCode } from './refusal.js';
import { checkValue, own, typeDeclared, valueAt, type VariableType } from './variable-types.js';

/** All that a token consists of: visible ASCII. */
const CHARACTERS = /^[\x21-\x7e]+$/;
/** The statuses of an introspection of a text that is too long, or can be no token. */
const NO_TOKEN = [413, 422];

/** Something that a dashboard tool shows, such as one dashboard. */
export interface Resource {
  type: string;
  id: string;
}

export interface ViewerOptions<Source> {
  /** A `CachedIntrospector`, or any other object that introspects. */
  introspector: { introspect: (token: string) => Promise<Introspection> };
  /** The name of this renderer, which every embed token for it has. */
  audience: string;
  /** The site that embeds this renderer. Without it, embed tokens for the pages of one site are refused. */
  origin?: string | undefined;
  /** The resource that the viewer wants to see. Without it, embed tokens for certain resources are refused. */
  resource?: Resource | undefined;
  /** The schema whose data source the viewer gets; `dataSources` belongs to it. */
  schema?: string | undefined;
  /** The data sources of this renderer by the ids that mappings have; 7 and "7" are two ids. There is no default. */
  dataSources?: ReadonlyMap<string | number, Source> | undefined;
  /** The variables that the viewer gets, with their types as for `bindVariables`; none by default. */
  declarations?: Readonly<Record<string, VariableType>> | undefined;
}

/** A person or a program that is viewing, and the facts that decide about what is shown. */
export interface Viewer<Source> {
  /** Your own id of the user group. */
  groupId: string;
  /** The number of the user group, a part of each cache key. It never changes, and no other group has it. */
  teamId: number;
  groupName: string;
  /** Your own id of the person, if the embed token names one. */
  userId: string | undefined;
  /** The person who views as the user group, such as support: show it with the dashboard. */
  actor: string | undefined;
  /** The data source that the mapping names for the schema. */
  dataSource: Source;
  /** The declared variables, each of its type; one that may be missing can be absent. For `bindVariables`. */
  variables: Record<string, unknown>;
  /** The end of the token in seconds since 1970, if it has one. */
  expiresAt: number | undefined;
}

/**
 * Returns who is viewing with a token, and what may be shown to them. It compares all that introspection cannot know:
 * the audience, the site, the resource, the data source and the types of variables. A viewer who is not exactly right is
 * refused.
 * @param token the text that came with the request, whatever it is
 * @throws Refusal with the status of the response; other errors of the introspector as they are
 * @throws TypeError if the options are wrong
 */
export async function viewerOf<Source = undefined>(
  token: unknown,
  options: ViewerOptions<Source>,
): Promise<Viewer<Source>> {
  const { schema, dataSources, declarations = {} } = options;
  if ((schema === undefined) !== (dataSources === undefined)) {
    throw new TypeError('schema and dataSources belong together');
  }
  if (typeof token !== 'string' || token === '') throw new Refusal('token_missing');
  if (!CHARACTERS.test(token)) throw refusalOf('token_refused', 'no token has such a character');
  const found = await introspect(token, options);
  requireSame(found, options);
  return {
    groupId: found.sub!,
    teamId: found.team_id!,
    groupName: found.name!,
    userId: found.user_id,
    actor: found.act?.sub,
    dataSource: dataSourceOf(found, schema, dataSources) as Source,
    variables: variablesOf(found.variables ?? found.properties, declarations),
    expiresAt: found.exp,
  };
}

async function introspect(
  token: string,
  { introspector }: Pick<ViewerOptions<unknown>, 'introspector'>,
): Promise<Introspection> {
  try {
    const found = await introspector.introspect(token);
    // Everything but a plain yes is a no.
    if ((found.active as unknown) === true) return found;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (NO_TOKEN.includes(error.status!)) throw new Refusal('token_refused', { cause: error });
    throw new Refusal('service_unavailable', { cause: error, retryAfter: error.retryAfter });
  }
  throw refusalOf('token_refused', 'the service does not accept the token');
}

/** Compares an embed token; a user-group token is for every renderer of its workspace. @throws Refusal */
function requireSame(
  { token_type: type, aud, origin, resources }: Introspection,
  wanted: Pick<ViewerOptions<unknown>, 'audience' | 'origin' | 'resource'>,
): void {
  if (type === 'user_group_token') return;
  if (type !== 'embed_token') throw refusalOf('token_refused', `the token is a ${type}`);
  if (typeof aud !== 'string' || aud !== wanted.audience) {
    const reason = `the token is for ${aud}, and this renderer is ${wanted.audience}`;
    throw refusalOf('audience_differs', reason);
  }
  if (origin !== undefined && origin !== wanted.origin) {
    const site = wanted.origin ?? 'not known';
    throw refusalOf(
      'origin_differs',
      `the token is for pages of ${origin}, and the site is ${site}`,
    );
  }
  const { resource } = wanted;
  const isSame = ({ type, id }: Resource) => type === resource?.type && id === resource.id;
  if (resources && !resources.some(isSame)) {
    const shown = resource ? `${resource.type} ${resource.id}` : 'this renderer';
    throw refusalOf('resource_differs', `the resources of the token leave out ${shown}`);
  }
}

function dataSourceOf<Source>(
  { mapping }: Introspection,
  schema: string | undefined,
  dataSources: ReadonlyMap<string | number, Source> | undefined,
): Source | undefined {
  if (schema === undefined || !dataSources) return undefined;
  const entry = (mapping && own(mapping, schema)) ?? undefined;
  // If the workspace registers its data sources, a mapping comes resolved.
  const id = typeof entry === 'object' ? entry.provided_id : entry;
  if (id !== undefined && dataSources.has(id)) return dataSources.get(id)!;
  const known = id === undefined ? 'no data source' : `the data source ${JSON.stringify(id)}`;
  throw refusalOf('data_source_unknown', `the group has ${known} for the schema ${schema}`);
}

function variablesOf(
  variables: unknown,
  declarations: Readonly<Record<string, VariableType>>,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(declarations)) {
    const type = typeDeclared(name, declared);
    const refuse = (_code: string, reason: string) =>
      refusalOf('variable_unusable', `${name} ${reason}`, name);
    const path = name.split('.');
    const value = valueAt(variables, path, refuse);
    if (value === undefined || value === null) {
      if (!type.isOptional) throw refuse('variable_missing', 'is missing or null');
      continue;
    }
    checkValue(value, type, refuse);
    put(found, path, value);
  }
  return found;
}

/** Puts a value where `bindVariables` looks for it. */
function put(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inner = object;
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(inner, key)) define(inner, key, {});
    inner = inner[key] as Record<string, unknown>;
  }
  define(inner, path.at(-1)!, value);
}

/** An assignment to `__proto__` would set the prototype. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

function refusalOf(code: RefusalCode, reason: string, variable?: string): Refusal {
  return new Refusal(code, { cause: new Error(reason), variable });
}
