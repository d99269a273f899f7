import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { handedOf, type HandedConfig, type StreamConfig, streamOf } from './config-offers.ts';
import { Place } from './place.ts';

/** The types of `bindVariables`: `[]` makes a list, `?` an optional variable. */
const VARIABLE_TYPE = /^(string|integer|number|boolean|date|timestamp)(\[\])?(\?)?$/;
const TOKEN = '{token}';
const SHORTEST_LIFE_SECONDS = 5;

/** A call of the renderer. `{token}` stands where the token goes. */
interface RequestTemplate {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | object;
}

/** A renderer that is a command: it prints what it shows, and fails if it refuses. */
interface CommandTemplate {
  command: string[];
  env: Record<string, string>;
  stdin?: string;
}

export type Template = RequestTemplate | CommandTemplate;

/** A tenant of the kit: what its group has, and what the renderer shows for it. */
export interface Tenant {
  dataSource: string | number;
  properties: Record<string, unknown>;
  /** Texts that are in the output for this tenant, each of them, and for no other tenant. */
  shows: string[];
}

/** A declared variable; `name` can be a path, such as `address.country`. */
export interface Variable {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'timestamp';
  isList: boolean;
  isOptional: boolean;
}

export interface EmbedConfig {
  audience: string;
  /** The web origin that the renderer compares; undefined if it compares none. */
  origin: string | undefined;
  /** A renderer that verifies embed tokens by itself notices the end of one at its `exp`. */
  isOffline: boolean;
  leewaySeconds: number;
  /** The resource that the template shows, for embed tokens with `resources`; undefined if the renderer compares none. */
  resource: { type: string; id: string } | undefined;
  /** Variables of an embed token, and the texts that are left for the first tenant. */
  viewer: { variables: Record<string, unknown>; shows: string[] } | undefined;
  /** A header of the response that names who views as the group; undefined if the body does. */
  actHeader: string | undefined;
  template: Template;
}

/** The place of the SQL of the last rendering. */
interface SqlSource {
  header?: string;
  field?: string;
  file?: string;
}

export interface Config {
  service: {
    url: string;
    apiToken: string;
    /** The API token of another workspace of the same service. */
    otherApiToken: string | undefined;
    /** Whether the check of `POST …/end-tokens` may end every token of the workspace. */
    isDisposable: boolean;
    /** After this time groups of the kit end by themselves. */
    groupsLiveSeconds: number;
  };
  template: Template;
  /** A page with the token in its address. */
  page: string | undefined;
  /** A call whose query fails in the database. */
  failing: Template | undefined;
  /** A connection that stays open. */
  stream: StreamConfig | undefined;
  /** A cursor of a response, and a link to a download, which a later call takes. */
  cursor: HandedConfig | undefined;
  download: HandedConfig | undefined;
  promiseSeconds: number;
  givesUpSeconds: number;
  recoversSeconds: number;
  staleSeconds: number;
  refusesWith: number[] | undefined;
  schema: string;
  tenants: [Tenant, Tenant];
  /** Undefined if they are those that the workspace declares. */
  variables: Variable[] | undefined;
  neverShows: string[];
  tables: string[];
  proxy: { host: string; port: number } | undefined;
  embed: EmbedConfig | undefined;
  /** Headers by which a gateway says who is viewing, with the values of the second tenant. */
  gateway: { headers: Record<string, string> } | undefined;
  sql: SqlSource | undefined;
  logs: string[];
}

/** The configuration cannot be used; each of `faults` names a place of the file. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/**
 * Reads a configuration file. Paths in it are relative to the file.
 * @param env has the API tokens that the file names
 * @throws ConfigError with every fault that was found
 */
export function readConfig(file: string, env: NodeJS.ProcessEnv): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`${file} cannot be read: ${(error as Error).message}`]);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ConfigError([`${file} is not JSON`]);
  }
  return configOf(json, env, dirname(file));
}

/** Checks a configuration that is read already. The errors are those of `readConfig`. */
export function configOf(json: unknown, env: NodeJS.ProcessEnv, directory = '.'): Config {
  const faults: string[] = [];
  const root = new Place(json, '', faults);
  const tokenOf = (place: Place, name: string) => secretOf(place, name, env, directory);

  const service = root.object('service', true);
  const renderer = root.object('renderer', true);
  const template = templateOf(renderer);
  const tenants = root.list('tenants', true).map((place) => {
    const tenant = {
      dataSource: place.dataSource(),
      properties: place.record('properties'),
      shows: place.texts('shows', 1),
    };
    place.end();
    return tenant;
  });
  const declared = root.take('variables');
  const variables =
    declared === undefined ? undefined : variablesOf(new Place(declared, '/variables', faults));
  const failing = renderer.object('failing', false);
  const embed = root.object('embed', false);
  const gateway = root.object('gateway', false);
  const sql = root.object('sql', false);
  const config: Config = {
    service: {
      url: service.url('url').replace(/\/+$/, ''),
      apiToken: tokenOf(service, 'api_token') ?? '',
      otherApiToken: tokenOf(service, 'other_workspace_api_token'),
      isDisposable: service.flag('disposable_workspace'),
      groupsLiveSeconds: service.seconds('groups_live_seconds', 600),
    },
    template,
    page: renderer.text('page'),
    failing: failing.isThere ? templateOf(failing) : undefined,
    stream: streamOf(renderer.object('stream', false)),
    cursor: handedOf(renderer.object('cursor', false)),
    download: handedOf(renderer.object('download', false)),
    promiseSeconds: renderer.seconds('promise_seconds', 1),
    givesUpSeconds: renderer.seconds('gives_up_seconds', 5),
    recoversSeconds: renderer.seconds('recovers_seconds', 10),
    staleSeconds: renderer.seconds('stale_seconds', 0),
    refusesWith: renderer.statuses('refuses_with'),
    schema: root.text('schema', true) ?? '',
    tenants: tenants as [Tenant, Tenant],
    variables,
    neverShows: root.texts('never_shows', 0),
    tables: root.texts('tables', 0),
    proxy: proxyOf(root),
    embed: embed.isThere ? embedOf(embed, template) : undefined,
    gateway: gateway.isThere ? gatewayOf(gateway) : undefined,
    sql: sql.isThere ? sqlOf(sql, directory) : undefined,
    logs: renderer.texts('logs', 0).map((path) => resolve(directory, path)),
  };
  for (const place of [service, failing, renderer, embed, gateway, sql, root]) place.end();
  checkTogether(config, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Finds what only several places together make wrong. */
function checkTogether(
  { service, tenants, variables, neverShows, page, ...config }: Config,
  faults: string[],
): void {
  if (service.apiToken === '') faults.push('/service needs api_token_env or api_token_file');
  if ((tenants.length as number) !== 2) {
    faults.push('/tenants must have two entries');
    return;
  }
  const [first, second] = tenants;
  const both = first.shows.filter((text) =>
    second.shows.some((other) => other.includes(text) || text.includes(other)),
  );
  for (const text of both) {
    faults.push(`/tenants: ${JSON.stringify(text)} is in what both tenants show`);
  }
  if (variables) faults.push(...faultsOfVariables(variables, tenants, neverShows));
  if (page !== undefined && !page.includes(TOKEN)) faults.push(`/renderer/page has no ${TOKEN}`);
  if (service.groupsLiveSeconds < SHORTEST_LIFE_SECONDS) {
    faults.push(`/service/groups_live_seconds must be ${SHORTEST_LIFE_SECONDS} at least`);
  }
  if (config.promiseSeconds > 60) faults.push('/renderer/promise_seconds must be 60 at most');
}

/** Finds what makes the checks of variables impossible. */
export function faultsOfVariables(
  variables: Variable[],
  tenants: Tenant[],
  neverShows: string[],
): string[] {
  const lacking = variables.flatMap(({ name, isOptional }) =>
    tenants.flatMap(({ properties }, index) =>
      isOptional || valueAt(properties, name) !== undefined
        ? []
        : [`/tenants/${index}/properties lacks ${name}`],
    ),
  );
  if (variables.length === 0 || neverShows.length > 0) return lacking;
  return [
    ...lacking,
    '/never_shows must name a row that the filters of your variables hide: without one no leak is seen',
  ];
}

function variablesOf(place: Place): Variable[] {
  return place.entries().flatMap(([name, type]) => {
    const variable = typeof type === 'string' ? variableOf(name, type) : undefined;
    if (!variable) place.fault(name, 'must be a type such as "string", "integer[]" or "number?"');
    return variable ?? [];
  });
}

/** A variable of a type such as `integer[]?`; undefined if there is no such type. */
export function variableOf(name: string, type: string): Variable | undefined {
  const match = VARIABLE_TYPE.exec(type);
  if (!match) return undefined;
  return {
    name,
    type: match[1] as Variable['type'],
    isList: Boolean(match[2]),
    isOptional: Boolean(match[3]),
  };
}

/** The value of a path, such as `address.country`. */
export function valueAt(properties: Record<string, unknown>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], properties);
}

/** A copy of the properties with another value at a path; `undefined` removes it. */
export function withValue(
  properties: Record<string, unknown>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const [key, ...rest] = path.split('.') as [string, ...string[]];
  const copy = { ...properties };
  if (rest.length > 0) {
    copy[key] = withValue(copy[key] as Record<string, unknown>, rest.join('.'), value);
  } else if (value === undefined) Reflect.deleteProperty(copy, key);
  else copy[key] = value;
  return copy;
}

function templateOf(place: Place): Template {
  const command = place.texts('command', 0);
  if (command.length > 0) {
    if (command.some((part) => part.includes(TOKEN))) {
      place.fault(
        'command',
        `must not have ${TOKEN}, which every user of the machine could read: use env or stdin`,
      );
    }
    const stdin = place.text('stdin');
    const template = {
      command,
      env: place.textRecord('env'),
      ...(stdin !== undefined && { stdin }),
    };
    if (!JSON.stringify([template.env, stdin]).includes(TOKEN)) {
      place.fault('env', `or stdin must have ${TOKEN}`);
    }
    return template;
  }
  const body = place.body();
  const headers = place.textRecord('headers');
  const url = place.url('url');
  const method = place.text('method') ?? (body === undefined ? 'GET' : 'POST');
  if (!JSON.stringify([url, headers, body ?? '']).includes(TOKEN)) {
    place.fault('', `has no ${TOKEN}: put it into url, headers or body, where the token goes`);
  }
  return { url, method, headers, ...(body !== undefined && { body }) };
}

function embedOf(place: Place, template: Template): EmbedConfig {
  const request = place.object('request', false);
  const resource = place.object('resource', false);
  const viewer = place.object('viewer', false);
  const verified = place.text('verified') ?? 'introspection';
  if (!['introspection', 'offline'].includes(verified)) {
    place.fault('verified', 'must be "introspection" or "offline"');
  }
  const embed = {
    audience: place.text('audience', true) ?? '',
    origin: place.text('origin'),
    isOffline: verified === 'offline',
    leewaySeconds: place.seconds('leeway_seconds', 0),
    resource: resource.isThere
      ? { type: resource.text('type', true) ?? '', id: resource.text('id', true) ?? '' }
      : undefined,
    viewer: viewer.isThere
      ? { variables: viewer.record('variables'), shows: viewer.texts('shows', 1) }
      : undefined,
    actHeader: place.text('act_header'),
    template: request.isThere ? templateOf(request) : template,
  };
  for (const part of [request, resource, viewer]) part.end();
  return embed;
}

function gatewayOf(place: Place): NonNullable<Config['gateway']> {
  const headers = place.textRecord('headers');
  if (Object.keys(headers).length === 0) place.fault('headers', 'must have a header at least');
  return { headers };
}

function sqlOf(place: Place, directory: string): SqlSource {
  const [header, field, file] = [place.text('header'), place.text('field'), place.text('file')];
  const given = [header, field, file].filter((one) => one !== undefined);
  if (given.length !== 1) place.fault('', 'needs one of header, field and file');
  if (header !== undefined) return { header };
  return field === undefined ? { file: resolve(directory, file ?? '') } : { field };
}

function proxyOf(root: Place): Config['proxy'] {
  const text = root.text('proxy');
  if (text === undefined) return undefined;
  const match = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\]|0\.0\.0\.0):(\d{1,5})$/.exec(text);
  if (!match) {
    root.fault('proxy', 'must be an address of this machine with a port, such as "127.0.0.1:3999"');
  }
  return { host: (match?.[1] ?? '').replace(/[[\]]/g, ''), port: Number(match?.[2]) };
}

function secretOf(
  place: Place,
  name: string,
  env: NodeJS.ProcessEnv,
  directory: string,
): string | undefined {
  if (place.take(name) !== undefined) {
    place.fault(name, `must not be in the file: use ${name}_env or ${name}_file`);
  }
  const variable = place.text(`${name}_env`);
  const file = place.text(`${name}_file`);
  if (variable !== undefined) {
    if (!env[variable]) place.fault(`${name}_env`, `names ${variable}, which is not set`);
    return env[variable]?.trim();
  }
  if (file === undefined) return undefined;
  try {
    return readFileSync(resolve(directory, file), 'utf8').trim();
  } catch (error) {
    place.fault(`${name}_file`, `cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    return undefined;
  }
}
