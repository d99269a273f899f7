// Written by `npm run docs`.
/* eslint-disable local/plain-comments -- the sentences of the settings */

/**
 * Options of a user group service inside of another application. Each has the meaning and the default of the
 * environment variable of the same name, such as `DATA_DIR` for `dataDir`, but the environment is not read.
 */
export interface UserGroupOptions {
  /**
   * URL of the service for callers, such as `https://user-groups.example.com`. It is the issuer of
   * `/.well-known/oauth-authorization-server`, which does not exist without it, and the beginning of the issuers of
   * embed tokens: a change invalidates tokens in use. At most 200 characters. A trailing slash is removed.
   */
  publicUrl?: string;
  /**
   * `postgres://user:password@host:5432/database` (PostgreSQL 15 or newer), user and password percent-encoded; unset
   * means the embedded SQLite database in `dataDir`.
   */
  databaseUrl?: string;
  /**
   * The same database without its connection pooler, if `databaseUrl` leads through one in transaction mode, such as
   * PgBouncer. Used for migrations and messages between replicas; if unset, replicas send no messages, and some
   * migrations are refused.
   */
  databaseDirectUrl?: string;
  /**
   * PostgreSQL schema for the tables, created if it is missing: for a shared database. Not available behind a
   * connection pooler.
   */
  databaseSchema?: string;
  /**
   * Connections (4–1000) to PostgreSQL that serve requests, of one process. Up to three more belong to each process:
   * see Replicas.
   */
  databasePoolSize?: number;
  /** Seconds (0–86400) for which a starting process waits while another one changes the database schema. */
  migrationWaitSeconds?: number;
  /**
   * Directory of the embedded database, its encryption key and the first API token; created if missing, unused with
   * PostgreSQL.
   */
  dataDir?: string;
  /**
   * Keys that encrypt user-group tokens at rest, `k2:<base64>,k1:<base64>`: 32 bytes each, the first encrypts, all
   * decrypt; or wrapped by Vault, `k3:vault:v1:…`. Required with PostgreSQL.
   */
  tokenEncryptionKeys?: string;
  /**
   * Address of the HashiCorp Vault or OpenBao that unwraps keys at the start, such as
   * `https://vault.example.com:8200`; over plain HTTP only on this machine; unused without wrapped keys.
   */
  vaultAddress?: string;
  /** Vault token. Leave unset behind a Vault agent. */
  vaultToken?: string;
  /** Vault namespace of the key. */
  vaultNamespace?: string;
  /** Mount and name of the key in Vault’s transit engine that wraps the other keys. */
  vaultTransitKey?: string;
  /**
   * The first API token, created with every scope if the database has none: a well-formed `uga_…` token, or any other
   * text of at least 32 characters.
   */
  bootstrapApiToken?: string;
  /**
   * Seconds (0–86400) for which a rotated user-group token stays valid, if the call does not say. `0` ends it at once.
   */
  rotationGraceSeconds?: number;
  /** Largest request body: bytes, KiB or MiB, such as `262144`, `256KiB` or `1MiB`; a larger one gets a 413. */
  bodyLimit?: number;
  /**
   * Requests per minute of one API token, including lines of imports, without introspections. As many can come at
   * once; they refill continuously. The limit is for all replicas together with `redisUrl`, for each process without;
   * `0` switches it off.
   */
  rateLimitPerMinute?: number;
  /**
   * Requests per minute of all API tokens of one workspace together, so that more tokens do not mean more requests;
   * `0` switches it off.
   */
  workspaceRateLimitPerMinute?: number;
  /**
   * Introspections per minute of one API token, and five times as many of all API tokens of one workspace together;
   * `0` switches it off.
   */
  introspectionRateLimitPerMinute?: number;
  /**
   * Wrong API tokens per minute of one client address (IPv6: one /64 block) before it gets a 429; a valid token always
   * passes. `0` switches it off.
   */
  authenticationFailureLimitPerMinute?: number;
  /**
   * `redis://user:password@host:6379/0` (`rediss://` for TLS): replicas share the rate limits through this Redis.
   * While it is down, each counts for itself.
   */
  redisUrl?: string;
  /**
   * Days for which the audit log keeps an event, from 1; until then the database refuses to remove it. `0` keeps
   * events indefinitely.
   */
  auditRetentionDays?: number;
  /**
   * Days for which the audit log keeps refused calls without a token, or with an unknown one; never longer than
   * `auditRetentionDays`.
   */
  auditRefusalRetentionDays?: number;
  /**
   * Days for which the audit log keeps records of who was shown tokens of user groups; never longer than
   * `auditRetentionDays`.
   */
  auditTokenAccessRetentionDays?: number;
  /**
   * Days for which a state of a user group is kept after a change or the deletion of the group has replaced it, from
   * 1. `0` keeps all states indefinitely.
   */
  historyRetentionDays?: number;
  /**
   * Hours, 24–8760, for which the change feed keeps an event. Choose more hours than any consumer or introspecting
   * process may be disconnected. Events are kept longer until webhooks have been made of them and durable consumers
   * have handled them, for webhookRetentionDays at most.
   */
  eventRetentionHours?: number;
  /**
   * Days (1–365) for which events of webhooks are kept, with the attempts to send them. They can be replayed, and wait
   * for a disabled endpoint, during that time.
   */
  webhookRetentionDays?: number;
  /**
   * `true` lets this process send webhooks; `false` leaves them to other processes of the installation, and also the
   * events that no caller causes: expiry reminders, and mappings that a deletion has broken.
   */
  webhookDelivery?: boolean;
  /** `true` also accepts webhook endpoints at `http://…`, where messages can be read and changed in transit. */
  webhookAllowHttp?: boolean;
  /**
   * Non-public addresses and CIDR ranges, separated by commas, that webhooks may be sent to, such as `10.1.2.0/24`.
   * Any workspace can then make this process call them.
   */
  webhookAllowedCidrs?: string;
  /**
   * OpenID Connect provider for signing in to the console, such as `https://id.example.com/realms/ops`, with or
   * without a trailing slash as the provider spells it. Register `publicUrl` followed by
   * `/console/sign-in/openid/callback` there as a redirect URI.
   */
  consoleOidcIssuer?: string;
  /** Client id of the console at the identity provider. */
  consoleOidcClientId?: string;
  /** Client secret of the console at the identity provider; unset for a public client. */
  consoleOidcClientSecret?: string;
  /** Scopes requested from the identity provider, separated by spaces. */
  consoleOidcScope?: string;
  /**
   * Grants of scopes to people: a JSON array such as
   * `[{"claim":"groups","value":"operators","workspace":"default","scopes":["user-groups:read"]}]`.
   * `"claim":"realm_access.roles"` names a claim within another, and `"prefix"` in place of `"value"` matches every
   * value with that beginning. A person who matches several grants of a workspace has the scopes of all.
   */
  consoleOidcGrants?: string;
  /** Days (35–3650) for which usage is kept, from the end of the hour, day or month that it belongs to. */
  usageRetentionDays?: number;
  /** Settings of plugins, each an instance of its class; others have their defaults. */
  pluginSettings?: readonly object[];
}
