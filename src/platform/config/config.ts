import { DEFAULT_BODY_LIMIT } from '../common/http/server/http-settings.ts';
import { trustedProxies } from './address-readers.ts';
import { bytes, duration, integer, list, nameList, oneOf, onOff, text } from './readers.ts';
import {
  apiToken,
  type ConfiguredKey,
  configuredKeys,
  headerText,
  transitKey,
} from './secret-readers.ts';
import { httpUrl, publicUrl, postgresUrl, redisUrl, schemaName, secureUrl } from './url-readers.ts';
import type { Plugin } from '../common/extension/plugin.ts';
import { FromEnv } from './variable.ts';

/**
 * The configuration of the platform and the core: each variable with its type, default and description. Features and
 * plugins declare classes of their own.
 */
export class Config {
  @FromEnv('HOST', {
    group: 'Server',
    about: 'Address of the API; use `0.0.0.0` in a container, or `::`, which also takes IPv4.',
    read: text,
  })
  host = '127.0.0.1';

  @FromEnv('PORT', {
    about: 'TCP port of the API; `0` takes any free one.',
    read: integer(0, 65_535),
  })
  port = 3000;

  @FromEnv('PUBLIC_URL', {
    about:
      'URL of the service for callers, such as `https://user-groups.example.com`. It is the issuer of `/.well-known/oauth-authorization-server`, which does not exist without it, and the beginning of the issuers of embed tokens: a change invalidates tokens in use. At most 200 characters. A trailing slash is removed.',
    read: publicUrl,
  })
  publicUrl?: string;

  @FromEnv('TRUST_PROXY', {
    about:
      'Proxies whose `X-Forwarded-For` is accepted as the client address, in logs, limits and the allowed addresses of API tokens: the number of proxies in front, or a list of their addresses and CIDR ranges. Ports and brackets, as in `203.0.113.9:61598` and `[2001:db8::1]:443`, are accepted.',
    defaultText: '0',
    read: trustedProxies,
  })
  trustProxy: number | string[] = 0;

  @FromEnv('SHUTDOWN_DELAY_SECONDS', {
    about:
      'Seconds (0–300) after SIGTERM for which calls are still served while `/health/ready` returns 503, so that load balancers stop sending before the process ends.',
    read: duration('seconds', 0, 300),
  })
  shutdownDelaySeconds = 0;

  @FromEnv('DOCS', {
    about:
      '`on` serves the page `/docs` and the OpenAPI document `/docs-json` to anybody, and redirects `/` there if there is no console; `off` disables them.',
    read: onOff,
  })
  docs = true;

  @FromEnv('FEATURES', {
    about:
      'Features to serve, separated by commas: `all`, `core` or names of [features](docs/reference/features.md), such as `core,webhooks`. `/api/user` is always served. All processes of an installation need the same value.',
    defaultText: '`all`',
    read: nameList,
  })
  features: string[] = ['all'];

  @FromEnv('PLUGINS', {
    about:
      'Plugins to load, separated by commas: files, such as `./plugins/seats/index.js`, or packages; see [Plugins](docs/extend/plugins.md).',
    read: list,
  })
  pluginNames: string[] = [];

  /** Loaded from the modules named in `PLUGINS`; not a variable. */
  plugins: readonly Plugin[] = [];

  /** Settings of the features and the plugins, each an instance of its class; not a variable. */
  settings: readonly object[] = [];

  @FromEnv('DATABASE_URL', {
    group: 'Database',
    about:
      '`postgres://user:password@host:5432/database` (PostgreSQL 15 or newer), user and password percent-encoded; unset means the embedded SQLite database in `DATA_DIR`.',
    defaultText: 'unset (embedded SQLite)',
    secret: true,
    read: postgresUrl,
  })
  databaseUrl?: string;

  @FromEnv('DATABASE_DIRECT_URL', {
    about:
      'The same database without its connection pooler, if `DATABASE_URL` leads through one in transaction mode, such as PgBouncer. Used for migrations and messages between replicas; if unset, replicas send no messages, and some migrations are refused.',
    secret: true,
    read: postgresUrl,
  })
  databaseDirectUrl?: string;

  @FromEnv('DATABASE_SCHEMA', {
    about:
      'PostgreSQL schema for the tables, created if it is missing: for a shared database. Not available behind a connection pooler.',
    defaultText: 'unset (the first of the search path)',
    read: schemaName,
  })
  databaseSchema?: string;

  @FromEnv('DATABASE_POOL_SIZE', {
    about:
      'Connections (4–1000) to PostgreSQL that serve requests, of one process. Up to three more belong to each process: see [Replicas](docs/operate/scaling.md#replicas).',
    read: integer(4, 1000),
  })
  databasePoolSize = 10;

  /** Whether the start has found a pooler in transaction mode behind `DATABASE_URL`; not a variable. */
  databaseIsPooled?: boolean;

  @FromEnv('MIGRATION_WAIT_SECONDS', {
    about:
      'Seconds (0–86400) for which a starting process waits while another one changes the database schema.',
    read: duration('seconds', 0, 86_400),
  })
  migrationWaitSeconds = 600;

  @FromEnv('DATA_DIR', {
    about:
      'Directory of the embedded database, its encryption key and the first API token; created if missing, unused with PostgreSQL.',
    read: text,
  })
  dataDir = './data';

  @FromEnv('TOKEN_ENCRYPTION_KEYS', {
    group: 'Encryption',
    about:
      'Keys that encrypt user-group tokens at rest, `k2:<base64>,k1:<base64>`: 32 bytes each, the first encrypts, all decrypt; or wrapped by Vault, `k3:vault:v1:…`. Required with PostgreSQL.',
    defaultText: 'embedded database: a key file in `DATA_DIR`',
    secret: true,
    read: configuredKeys,
  })
  tokenEncryptionKeys?: ConfiguredKey[];

  @FromEnv('VAULT_ADDR', {
    about:
      'Address of the HashiCorp Vault or OpenBao that unwraps keys at the start, such as `https://vault.example.com:8200`; over plain HTTP only on this machine; unused without wrapped keys.',
    read: (value) => httpUrl(secureUrl(value)),
  })
  vaultAddress?: string;

  @FromEnv('VAULT_TOKEN', {
    about: 'Vault token. Leave unset behind a Vault agent.',
    secret: true,
    read: headerText,
  })
  vaultToken?: string;

  @FromEnv('VAULT_NAMESPACE', { about: 'Vault namespace of the key.', read: headerText })
  vaultNamespace?: string;

  @FromEnv('VAULT_TRANSIT_KEY', {
    about: 'Mount and name of the key in Vault’s transit engine that wraps the other keys.',
    read: transitKey,
  })
  vaultTransitKey = 'transit/user-groups';

  @FromEnv('BOOTSTRAP_API_TOKEN', {
    group: 'Tokens',
    about:
      'The first API token, created with every scope if the database has none: a well-formed `uga_…` token, or any other text of at least 32 characters.',
    defaultText: 'embedded database: generated at first run',
    secret: true,
    read: apiToken,
  })
  bootstrapApiToken?: string;

  @FromEnv('ROTATION_GRACE_SECONDS', {
    about:
      'Seconds (0–86400) for which a rotated user-group token stays valid, if the call does not say. `0` ends it at once.',
    read: duration('seconds', 0, 86_400),
  })
  rotationGraceSeconds = 0;

  @FromEnv('BODY_LIMIT', {
    group: 'Limits',
    about:
      'Largest request body: bytes, KiB or MiB, such as `262144`, `256KiB` or `1MiB`; a larger one gets a 413.',
    defaultText: '256KiB',
    read: bytes(1024, 64 * 1024 ** 2),
  })
  bodyLimit = DEFAULT_BODY_LIMIT;

  @FromEnv('RATE_LIMIT_PER_MINUTE', {
    about:
      'Requests per minute of one API token, including lines of imports, without introspections. As many can come at once; they refill continuously. The limit is for all replicas together with `REDIS_URL`, for each process without; `0` switches it off.',
    read: integer(0, 100_000_000),
  })
  rateLimitPerMinute = 6000;

  @FromEnv('WORKSPACE_RATE_LIMIT_PER_MINUTE', {
    about:
      'Requests per minute of all API tokens of one workspace together, so that more tokens do not mean more requests; `0` switches it off.',
    defaultText: '5 times `RATE_LIMIT_PER_MINUTE`',
    read: integer(0, 100_000_000),
  })
  workspaceRateLimitPerMinute?: number;

  @FromEnv('INTROSPECTION_RATE_LIMIT_PER_MINUTE', {
    about:
      'Introspections per minute of one API token, and five times as many of all API tokens of one workspace together; `0` switches it off.',
    read: integer(0, 100_000_000),
  })
  introspectionRateLimitPerMinute = 0;

  @FromEnv('AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE', {
    about:
      'Wrong API tokens per minute of one client address (IPv6: one /64 block) before it gets a 429; a valid token always passes. `0` switches it off.',
    read: integer(0, 100_000_000),
  })
  authenticationFailureLimitPerMinute = 60;

  @FromEnv('REDIS_URL', {
    about:
      '`redis://user:password@host:6379/0` (`rediss://` for TLS): replicas share the rate limits through this Redis. While it is down, each counts for itself.',
    defaultText: 'unset (each process counts)',
    secret: true,
    read: redisUrl,
  })
  redisUrl?: string;

  @FromEnv('AUDIT_RETENTION_DAYS', {
    group: 'Audit and events',
    about:
      'Days for which the audit log keeps an event, from 1; until then the database refuses to remove it. `0` keeps events indefinitely.',
    retention: ['audit_days', 'Days for which the audit log keeps an event; 0 for no limit.'],
    read: duration('days', 0, 36_500),
  })
  auditRetentionDays = 365;

  @FromEnv('AUDIT_REFUSAL_RETENTION_DAYS', {
    about:
      'Days for which the audit log keeps refused calls without a token, or with an unknown one; never longer than `AUDIT_RETENTION_DAYS`.',
    retention: [
      'refusal_days',
      'Days for which it keeps refused requests without a known token; never longer than `audit_days`.',
    ],
    read: duration('days', 1, 36_500),
  })
  auditRefusalRetentionDays = 90;

  @FromEnv('AUDIT_TOKEN_ACCESS_RETENTION_DAYS', {
    about:
      'Days for which the audit log keeps records of who was shown tokens of user groups; never longer than `AUDIT_RETENTION_DAYS`.',
    retention: [
      'shown_token_days',
      'Days for which it keeps who was shown tokens; never longer than `audit_days`.',
    ],
    read: duration('days', 1, 36_500),
  })
  auditTokenAccessRetentionDays = 30;

  @FromEnv('HISTORY_RETENTION_DAYS', {
    about:
      'Days for which a state of a user group is kept after a change or the deletion of the group has replaced it, from 1. `0` keeps all states indefinitely.',
    retention: [
      'history_days',
      'Days for which a replaced state of a user group is kept; 0 for no limit.',
    ],
    read: duration('days', 0, 36_500),
  })
  historyRetentionDays = 365;

  @FromEnv('EVENT_RETENTION_HOURS', {
    about:
      'Hours, 24–8760, for which the change feed keeps an event. Choose more hours than any consumer or introspecting process may be disconnected. Events are kept longer until webhooks have been made of them and durable consumers have handled them, for WEBHOOK_RETENTION_DAYS at most.',
    retention: ['event_hours', 'Hours for which the change feed keeps an event.'],
    read: duration('hours', 24, 8760),
  })
  eventRetentionHours = 168;

  @FromEnv('LOG_LEVEL', {
    group: 'Logs and metrics',
    about:
      'Least severe level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  })
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' = 'info';

  @FromEnv('LOG_FORMAT', {
    about: '`json` for one JSON object per line, `pretty` for people.',
    defaultText: '`pretty` on a terminal, else `json`',
    read: oneOf('json', 'pretty'),
  })
  logFormat: 'json' | 'pretty' = process.stdout.isTTY ? 'pretty' : 'json';

  @FromEnv('METRICS_PORT', {
    about:
      'TCP port of the Prometheus metrics (`/metrics`, same address as the API); `0` switches them off.',
    read: integer(0, 65_535),
  })
  metricsPort = 9464;
}
