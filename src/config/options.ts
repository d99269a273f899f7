import { Config } from './config.ts';
import { KeyProvider } from '../common/key-provider.ts';
import type { Plugin } from '../common/plugin.ts';
import type { PortProvider } from '../common/ports.ts';
import { loadConfig } from './load-config.ts';
import { ConfigError, variablesOf } from './variable.ts';

/**
 * The values of a user group service inside of another application. Each is the property of the same name
 * of the service's configuration, with the same default; nothing is read from the environment.
 */
export interface UserGroupOptions {
  /** `postgres://user:password@host:5432/database`; without it the embedded SQLite database in `dataDir`. */
  databaseUrl?: string;
  /** Schema of PostgreSQL that the tables are in, made if it is missing. */
  databaseSchema?: string;
  /** The same database past its connection pooler in transaction mode, where there is one. */
  databaseDirectUrl?: string;
  /** Directory of the embedded database and its key file. Default `./data`. */
  dataDir?: string;
  /** `k2:<base64>,k1:<base64>`: the first encrypts, all decrypt. Required with PostgreSQL. */
  tokenEncryptionKeys?: string;
  /** Address of the Vault that unwraps keys such as `k3:vault:v1:…` at the start. */
  vaultAddress?: string;
  /** What Vault knows the service by. */
  vaultToken?: string;
  /** The namespace of Vault that has the key. */
  vaultNamespace?: string;
  /** Mount and name of the key of Vault that wraps the others. Default `transit/user-groups`. */
  vaultTransitKey?: string;
  /** Created with every scope if the database has no API token; without it none is created. */
  bootstrapApiToken?: string;
  /** For how many seconds (0–86,400) a rotated token can be introspected where the call does not say it. */
  rotationGraceSeconds?: number;
  /** What embed tokens name as their issuer. */
  embedTokenIssuer?: string;
  /** Where callers reach the service, prefix included. */
  publicUrl?: string;
  /** Identity provider at which people sign in to the console, by OpenID Connect. */
  consoleOpenIdIssuer?: string;
  /** What the identity provider knows the console by. */
  consoleOpenIdClientId?: string;
  /** The secret of the client there; none for a public client. */
  consoleOpenIdClientSecret?: string;
  /** What the identity provider is asked for. Default `openid email`. */
  consoleOpenIdScope?: string;
  /** Who may do what in which workspace: a JSON array of `{"claim", "value" or "prefix", "workspace", "scopes"}`. */
  consoleOpenIdGrants?: string;
  /** Largest request body in bytes. Default 262,144. */
  bodyLimit?: number;
  /** Requests per minute of one API token; 0 for any number. Default 6,000. */
  rateLimitPerMinute?: number;
  /** The same for a whole workspace. */
  workspaceRateLimitPerMinute?: number;
  /** Failed authentications per minute of one client. */
  failedAuthenticationsPerMinute?: number;
  /** Counts rate limits for all replicas together. */
  redisUrl?: string;
  /** Days for which audit events are kept. */
  auditRetentionDays?: number;
  /** Hours for which changes are kept for those who follow them. */
  eventRetentionHours?: number;
  /** `off` lets this process send no webhooks. */
  webhookDelivery?: 'on' | 'off';
  /** Days for which webhooks can be replayed. */
  webhookRetentionDays?: number;
  /** `on` allows endpoints at `http://…`. */
  webhookAllowHttp?: 'on' | 'off';
  /** Addresses that are not public, to which webhooks may be sent nevertheless, separated by commas. */
  webhookAllowedCidrs?: string;
  /** The settings of plugins, each an instance of its class; those that are not given have their defaults. */
  pluginSettings?: readonly object[];
}

/**
 * Checks the values, and fills in the others.
 * @throws ConfigError with one line that names the value at fault, never what it is
 */
export function configOf(
  { pluginSettings = [], ...options }: UserGroupOptions,
  {
    ports = [],
    plugins = [],
  }: { ports?: readonly PortProvider[]; plugins?: readonly Plugin[] } = {},
): Config {
  const names = new Map(variablesOf(Config).map(({ property, name }) => [property, name]));
  const env: Record<string, string> = {};
  for (const [property, value] of Object.entries<string | number | undefined>(options)) {
    const name = names.get(property);
    if (name === undefined) throw new ConfigError(`${property} is no option of the user groups.`);
    if (value !== undefined) env[name] = String(value);
  }
  const classes = plugins.map(({ definition }) => definition.settings);
  const stray = pluginSettings.find(
    ({ constructor }) => !classes.some((one) => one === constructor),
  );
  if (stray)
    throw new ConfigError(`No plugin has settings of the class ${stray.constructor.name}.`);
  try {
    // Settings of plugins are values here, not variables.
    const needsKeys = !ports.some(({ provide }) => provide === KeyProvider);
    return Object.assign(loadConfig(env, { needsKeys, plugins }), { pluginSettings });
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(inWordsOf(names, error.message));
    throw error;
  }
}

/** The message with options in place of variables. */
function inWordsOf(names: ReadonlyMap<string, string>, message: string): string {
  const properties = new Map([...names].map(([property, name]) => [name, property]));
  return message.replace(/\b[A-Z][A-Z_]+\b/g, (word) => properties.get(word) ?? word);
}
