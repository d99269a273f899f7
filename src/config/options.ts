import { type Config } from './config.ts';
import { loadConfig } from './load-config.ts';
import { ConfigError, variables } from './variable.ts';

/**
 * The values of a user group service inside of another application. Each is the property of the same name
 * of the service's configuration, with the same default; nothing is read from the environment.
 */
export interface UserGroupOptions {
  /** `postgres://user:password@host:5432/database`; without it the embedded SQLite database in `dataDir`. */
  databaseUrl?: string;
  /** The same database past its connection pooler in transaction mode, where there is one. */
  databaseDirectUrl?: string;
  /** Directory of the embedded database and its key file. Default `./data`. */
  dataDir?: string;
  /** `k2:<base64>,k1:<base64>`: the first encrypts, all decrypt. Required with PostgreSQL. */
  tokenEncryptionKeys?: string;
  /** Created with every scope if the database has no API token; without it none is created. */
  bootstrapApiToken?: string;
  /** For how many seconds (0–86,400) a rotated token can be introspected where the call does not say it. */
  rotationGraceSeconds?: number;
  /** What embed tokens name as their issuer. */
  embedTokenIssuer?: string;
  /** Where callers reach the service, prefix included. */
  publicUrl?: string;
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
}

/**
 * Checks the values, and fills in the others.
 * @throws ConfigError with one line that names the value at fault, never what it is
 */
export function configOf(options: UserGroupOptions): Config {
  const names = new Map(variables().map(({ property, name }) => [property, name]));
  const env: Record<string, string> = {};
  for (const [property, value] of Object.entries(options) as [string, string | number][]) {
    const name = names.get(property);
    if (name === undefined) throw new ConfigError(`${property} is no option of the user groups.`);
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- callers may not check types
    if (value !== undefined) env[name] = String(value);
  }
  try {
    return loadConfig(env);
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
