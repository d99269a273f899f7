import { ConfigError } from './variable.ts';

/** Reads the URL of a service without a trailing slash: an issuer of RFC 8414, section 2, for example. `http` is for trials. */
export function httpUrl(value: string): string {
  if (/^https?:\/\/[^?#]+$/i.test(value) && URL.canParse(value)) {
    const { username, password, href } = new URL(value);
    if (username + password === '') return href.replace(/\/+$/, '');
  }
  throw new ConfigError(
    'must be a URL such as https://user-groups.example.com, without a user, a query or a fragment.',
  );
}

/** Reads the URL with which the issuers of embed tokens begin: an issuer has at most 255 characters. */
export function publicUrl(value: string): string {
  if (value.length <= 200) return httpUrl(value);
  throw new ConfigError('must have at most 200 characters.');
}

/**
 * Reads a URL that receives secrets, unencrypted on this machine alone. Keeps each character: issuers are compared
 * character by character (OpenID Connect Discovery 1.0, section 4.3).
 */
export function secureUrl(value: string): string {
  const { protocol, hostname } = new URL(httpUrl(value));
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return value;
  throw new ConfigError('must begin with https://, unless it is on this machine.');
}

/** Forms that other programs take, and what to write instead. */
const OTHER_FORMS: [RegExp, string][] = [
  [/^(['"]).*\1$/s, 'must not be in quotes: an --env-file takes them as text.'],
  [
    /^postgres(ql)?:\/\/([^/?#]*@)?[^@/?#]*,[^@/?#]*([/?#]|$)/,
    'must name one host, such as that of a load balancer.',
  ],
  [
    /^postgres(ql)?:\/\/[^/?#]*@\//,
    'must have a host. For a socket write postgres://user:password@localhost/database?host=/directory/of/the/socket.',
  ],
  [
    /^postgres(ql)?:\/\/[^/?#]*\/?([?#][^@]*)?$/,
    'must name a database, such as postgres://user:password@host:5432/database.',
  ],
];

export function postgresUrl(value: string): string {
  const [, instead] = OTHER_FORMS.find(([form]) => form.test(value)) ?? [];
  if (instead !== undefined) throw new ConfigError(instead);
  if (isPostgresUrl(value)) return value;
  throw new ConfigError(
    'must be a URL such as postgres://user:password@host:5432/database, or unset for the embedded database; percent-encode the user and the password: %2F is a slash, %23 a hash, %3F a question mark, %40 an at sign, %25 a percent sign.',
  );
}

function isPostgresUrl(value: string): boolean {
  // An @ behind the first of /?# ends no password for a URL: the text before it would be taken for the host.
  if (!/^postgres(ql)?:\/\/[^/?#]*([/?#][^@]*)?$/.test(value) || !URL.canParse(value)) return false;
  const { username, password, pathname } = new URL(value);
  return isEncoded(username + password + pathname);
}

/** Reads the name of a schema that needs no quotes. */
export function schemaName(value: string): string {
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(value)) return value;
  throw new ConfigError(
    'must be the name of a schema: lower-case letters, digits and underscores, at most 63, not beginning with pg_.',
  );
}

/** Reads a URL of the `redis` or, with TLS, `rediss` scheme (IANA); the path is the number of a database. */
export function redisUrl(value: string): string {
  if (isRedisUrl(value)) return value;
  throw new ConfigError(
    'must be a URL such as redis://user:password@host:6379/0, or rediss://… for TLS; the password percent-encoded.',
  );
}

function isRedisUrl(value: string): boolean {
  if (!/^rediss?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { hostname, pathname, username, password } = new URL(value);
  return hostname !== '' && /^(\/\d{0,5})?$/.test(pathname) && isEncoded(username + password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
