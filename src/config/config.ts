import { type ClaimGrant, claimGrants } from './claim-grants.ts';
import {
  apiToken,
  bytes,
  cidrs,
  configuredKeys,
  headerText,
  httpUrl,
  integer,
  issuer,
  list,
  oneOf,
  openIdScope,
  postgresUrl,
  redisUrl,
  schemaName,
  secureUrl,
  text,
  transitKey,
  trustedProxies,
} from './readers.ts';
import type { ConfiguredKey } from './readers.ts';
import type { Plugin } from '../common/plugin.ts';
import { FromEnv } from './variable.ts';

/** Everything that can be configured: each variable with its type, default and description. */
export class Config {
  @FromEnv('HOST', {
    about: 'Address the API listens on; a container wants `0.0.0.0`.',
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
      'Where callers reach the service, such as `https://user-groups.example.com`: the issuer of `/.well-known/oauth-authorization-server`, which is not there without it. A slash at its end is left out.',
    defaultText: 'unset',
    read: httpUrl,
  })
  publicUrl?: string;

  @FromEnv('DATABASE_URL', {
    about:
      '`postgres://user:password@host:5432/database` (PostgreSQL 15 or newer), user and password percent-encoded; unset means the embedded SQLite database in `DATA_DIR`.',
    defaultText: 'unset (embedded SQLite)',
    secret: true,
    read: postgresUrl,
  })
  databaseUrl?: string;

  @FromEnv('DATABASE_DIRECT_URL', {
    about:
      'The database of `DATABASE_URL` past its connection pooler, where `DATABASE_URL` leads through one in transaction mode, such as PgBouncer. Migrations and messages between replicas go this way; without it there are no such messages, and some migrations are refused.',
    defaultText: 'unset',
    secret: true,
    read: postgresUrl,
  })
  databaseDirectUrl?: string;

  /** Not a variable: what `PLUGINS` names. */
  plugins: readonly Plugin[] = [];

  /** Not a variable: the settings of the plugins, each an instance of its class. */
  pluginSettings: readonly object[] = [];

  @FromEnv('DATABASE_SCHEMA', {
    about:
      'Schema of PostgreSQL that the tables are in, made if it is missing: for a database that others use, too. Not behind a connection pooler.',
    defaultText: 'unset (the first of the search path)',
    read: schemaName,
  })
  databaseSchema?: string;

  /** Not a variable: whether the start has found a pooler in transaction mode behind `DATABASE_URL`. */
  databaseIsPooled?: boolean;

  @FromEnv('DATA_DIR', {
    about:
      'Directory of the embedded database, its encryption key and the first API token; created if missing, unused with PostgreSQL.',
    read: text,
  })
  dataDir = './data';

  @FromEnv('TOKEN_ENCRYPTION_KEYS', {
    about:
      'Keys that encrypt user-group tokens at rest, `k2:<base64>,k1:<base64>`: 32 bytes each, the first encrypts, all decrypt; or wrapped by Vault, `k3:vault:v1:…`. Required with PostgreSQL.',
    defaultText: 'embedded database: a key file in `DATA_DIR`',
    secret: true,
    read: configuredKeys,
  })
  tokenEncryptionKeys?: ConfiguredKey[];

  @FromEnv('VAULT_ADDR', {
    about:
      'Address of the HashiCorp Vault or OpenBao that unwraps keys at the start, such as `https://vault.example.com:8200`; over plain HTTP on this machine alone; unused without wrapped keys.',
    defaultText: 'unset',
    read: (value) => httpUrl(secureUrl(value)),
  })
  vaultAddress?: string;

  @FromEnv('VAULT_TOKEN', {
    about: 'What Vault knows the service by; unset behind an agent that says it.',
    defaultText: 'unset',
    secret: true,
    read: headerText,
  })
  vaultToken?: string;

  @FromEnv('VAULT_NAMESPACE', {
    about: 'The namespace of Vault that has the key.',
    defaultText: 'unset',
    read: headerText,
  })
  vaultNamespace?: string;

  @FromEnv('VAULT_TRANSIT_KEY', {
    about: 'Mount and name of the key of Vault’s transit engine that wraps the others.',
    read: transitKey,
  })
  vaultTransitKey = 'transit/user-groups';

  @FromEnv('BOOTSTRAP_API_TOKEN', {
    about:
      'The first API token, created with every scope if the database has none: a well-formed `uga_…` token, or any other text of at least 32 characters.',
    defaultText: 'embedded database: generated at first run',
    secret: true,
    read: apiToken,
  })
  bootstrapApiToken?: string;

  @FromEnv('ROTATION_GRACE_SECONDS', {
    about:
      'Seconds (0–86400) for which a rotated user-group token can still be introspected, where the call does not say it. `0` ends it at once.',
    read: integer(0, 86_400),
  })
  rotationGraceSeconds = 0;

  @FromEnv('EMBED_TOKEN_ISSUER', {
    about:
      'What embed tokens name as their issuer (`iss`) unless their workspace has one of its own: a URL, or a text without spaces and colons. With another one the embed tokens that are out become invalid.',
    read: issuer,
  })
  embedTokenIssuer = 'user-group-service';

  @FromEnv('BODY_LIMIT', {
    about: 'Largest request body, as `262144`, `256KiB` or `1MiB`; a larger one gets a 413.',
    defaultText: '256KiB',
    read: bytes(1024, 64 * 1024 ** 2),
  })
  bodyLimit = 256 * 1024;

  @FromEnv('RATE_LIMIT_PER_MINUTE', {
    about:
      'Requests per minute that one API token may make, lines of imports among them, and as many introspections: to all replicas together with `REDIS_URL`, to each process without; `0` switches it off.',
    read: integer(0, 100_000_000),
  })
  rateLimitPerMinute = 6000;

  @FromEnv('WORKSPACE_RATE_LIMIT_PER_MINUTE', {
    about:
      'The same for all API tokens of one workspace together, so that nobody gets more by issuing tokens; `0` switches it off.',
    defaultText: '5 times `RATE_LIMIT_PER_MINUTE`',
    read: integer(0, 100_000_000),
  })
  workspaceRateLimitPerMinute?: number;

  @FromEnv('FAILED_AUTHENTICATIONS_PER_MINUTE', {
    about:
      'Wrong API tokens per minute that one client address (IPv6: one /64 block) may send before the answer is a 429; a right token always passes. `0` switches it off.',
    read: integer(0, 100_000_000),
  })
  failedAuthenticationsPerMinute = 60;

  @FromEnv('REDIS_URL', {
    about:
      '`redis://user:password@host:6379/0` (`rediss://` for TLS): replicas share the rate limits through this Redis. While it is away each counts for itself.',
    defaultText: 'unset (each process counts)',
    secret: true,
    read: redisUrl,
  })
  redisUrl?: string;

  @FromEnv('TRUST_PROXY', {
    about:
      'From whom `X-Forwarded-For` is accepted as the client address, in logs, limits and the allowed addresses of API tokens: the number of proxies in front, or a list of their addresses and CIDR ranges. A port and brackets, as in `203.0.113.9:61598` and `[2001:db8::1]:443`, are read, too.',
    defaultText: '0',
    read: trustedProxies,
  })
  trustProxy: number | string[] = 0;

  @FromEnv('SHUTDOWN_DELAY_SECONDS', {
    about:
      'Seconds (0–300) for which, from SIGTERM on, calls are still taken while `/health/ready` answers 503, so that load balancers turn away before the process ends.',
    read: integer(0, 300),
  })
  shutdownDelaySeconds = 0;

  @FromEnv('MIGRATION_WAIT_SECONDS', {
    about:
      'Seconds (0–86400) for which a starting process waits while another one changes the database schema.',
    read: integer(0, 86_400),
  })
  migrationWaitSeconds = 600;

  @FromEnv('AUDIT_RETENTION_DAYS', {
    about:
      'Days for which the audit log keeps an event, from 1; until then the database refuses to remove it. `0` keeps events for ever.',
    read: integer(0, 36_500),
  })
  auditRetentionDays = 365;

  @FromEnv('REFUSAL_RETENTION_DAYS', {
    about:
      'Days for which the audit log keeps what it tells of refused calls with a token that is nobody’s, or none; never longer than `AUDIT_RETENTION_DAYS`.',
    read: integer(1, 36_500),
  })
  refusalRetentionDays = 90;

  @FromEnv('SHOWN_TOKEN_RETENTION_DAYS', {
    about:
      'Days for which the audit log keeps to whom tokens of user groups were shown; never longer than `AUDIT_RETENTION_DAYS`.',
    read: integer(1, 36_500),
  })
  shownTokenRetentionDays = 30;

  @FromEnv('EVENT_RETENTION_HOURS', {
    about:
      'Hours for which the change feed keeps an event, longer than any process that introspects, or consumer, may be away; and until webhooks have been made of it and durable consumers have handled it, for WEBHOOK_RETENTION_DAYS at most.',
    read: integer(24, 8760),
  })
  eventRetentionHours = 168;

  @FromEnv('WEBHOOK_DELIVERY', {
    about:
      '`on` lets this process send webhooks; with `off` it sends none, and leaves them to others of the installation. Nor does it announce what nobody has done: what ends soon, and mappings that a deletion has broken.',
    read: oneOf('on', 'off'),
  })
  webhookDelivery: 'on' | 'off' = 'on';

  @FromEnv('WEBHOOK_ALLOW_HTTP', {
    about:
      '`on` also accepts webhook endpoints at `http://…`: what is sent can then be read and changed on its way.',
    read: oneOf('on', 'off'),
  })
  webhookAllowHttp: 'on' | 'off' = 'off';

  @FromEnv('WEBHOOK_ALLOWED_CIDRS', {
    about:
      'Addresses and CIDR ranges, separated by commas, that webhooks may be sent to although they are not public, such as `10.1.2.0/24`. Any workspace can then make this process call them.',
    defaultText: 'unset (public addresses alone)',
    read: cidrs,
  })
  webhookAllowedCidrs: string[] = [];

  @FromEnv('WEBHOOK_RETENTION_DAYS', {
    about:
      'Days (1–365) for which events of webhooks are kept, with the attempts to send them: so long they can be replayed, and so long they wait for an endpoint that is off.',
    read: integer(1, 365),
  })
  webhookRetentionDays = 30;

  @FromEnv('PLUGINS', {
    about:
      'Modules to add to the service, separated by commas: files, such as `./plugins/seats/index.js`, or packages; see [Extending](docs/extending.md).',
    defaultText: 'unset',
    read: list,
  })
  pluginNames: string[] = [];

  @FromEnv('DOCS', {
    about:
      '`on` serves the page `/docs` and the OpenAPI document `/docs-json` to anybody, and leads `/` there if there is no console; with `off` none of them is there.',
    read: oneOf('on', 'off'),
  })
  docs: 'on' | 'off' = 'on';

  @FromEnv('CONSOLE', {
    about:
      '`on` serves the console for operators below `/console`, and leads `/` there; with `off` there is nothing below it. See [Console](docs/console.md).',
    read: oneOf('on', 'off'),
  })
  console: 'on' | 'off' = 'on';

  /** Not a variable: the directory with the page of the console, if it is not the one that the build makes. */
  consoleDirectory?: string;

  @FromEnv('CONSOLE_OPENID_ISSUER', {
    about:
      'Identity provider at which people sign in to the console by OpenID Connect, such as `https://id.example.com/realms/ops`, with or without the slash at its end as the provider spells it; it knows `PUBLIC_URL` followed by `/console/sign-in/openid/callback` as a redirect URI.',
    defaultText: 'unset (API tokens alone)',
    read: secureUrl,
  })
  consoleOpenIdIssuer?: string;

  @FromEnv('CONSOLE_OPENID_CLIENT_ID', {
    about: 'What the identity provider knows the console by.',
    defaultText: 'unset',
    read: headerText,
  })
  consoleOpenIdClientId?: string;

  @FromEnv('CONSOLE_OPENID_CLIENT_SECRET', {
    about: 'The secret of the client at the identity provider; unset for a public client.',
    defaultText: 'unset',
    secret: true,
    read: headerText,
  })
  consoleOpenIdClientSecret?: string;

  @FromEnv('CONSOLE_OPENID_SCOPE', {
    about: 'What the identity provider is asked for, with spaces between.',
    read: openIdScope,
  })
  consoleOpenIdScope = 'openid email';

  @FromEnv('CONSOLE_OPENID_GRANTS', {
    about:
      'Who may do what in which workspace: a JSON array such as `[{"claim":"groups","value":"operators","workspace":"default","scopes":["user-groups:read"]}]`. `"claim":"realm_access.roles"` names a claim within another, and `"prefix"` in place of `"value"` all that begin alike. Who fits several grants of a workspace has the scopes of all.',
    defaultText: 'unset',
    read: claimGrants,
  })
  consoleOpenIdGrants: ClaimGrant[] = [];

  @FromEnv('LOG_LEVEL', {
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
