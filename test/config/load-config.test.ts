import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { ConsoleSettings } from '../../src/features/console/console.settings.ts';
import type { EventSettings } from '../../src/features/event/event.settings.ts';
import type { WebhookSettings } from '../../src/features/webhook/webhook.settings.ts';
import { Config } from '../../src/platform/config/config.ts';
import { type Environment, loadConfig } from '../../src/platform/config/load-config.ts';
import { ownSettings } from '../../src/platform/config/settings.ts';
import { features } from '../../src/server/app/features.ts';
import { defaults, variables } from '../support/code/variables.ts';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';

const secret = randomBytes(32);
const key = secret.toString('base64');
const own = 'any-text-of-at-least-32-characters';
const counted = Array.from({ length: 32 }, (_, index) => index);

/** Reads all settings of the service, those of its features among them. */
function read(env: Environment): Config & ConsoleSettings & EventSettings & WebhookSettings {
  const config = loadConfig(env);
  return Object.assign(new Config(), config, ...config.settings) as ReturnType<typeof read>;
}

test('nothing set gives the defaults', () => {
  const settings = ownSettings.map((type) => new type());
  for (const env of [{}, { PORT: '', LOG_LEVEL: '', CONSOLE: '' }]) {
    expect({ ...read(env) }).toEqual({ ...defaults, settings });
  }
});

test('the configuration has the settings of every feature', () => {
  const declared = features.flatMap(({ settings = [] }) => settings);
  expect(new Set(ownSettings)).toEqual(new Set(declared));
});

test('every variable of the interface exists', () => {
  expect(variables.map(({ name }) => name)).toEqual([
    'HOST',
    'PORT',
    'PUBLIC_URL',
    'TRUST_PROXY',
    'SHUTDOWN_DELAY_SECONDS',
    'DOCS',
    'FEATURES',
    'PLUGINS',
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'DATABASE_SCHEMA',
    'DATABASE_POOL_SIZE',
    'MIGRATION_WAIT_SECONDS',
    'DATA_DIR',
    'TOKEN_ENCRYPTION_KEYS',
    'VAULT_ADDR',
    'VAULT_TOKEN',
    'VAULT_NAMESPACE',
    'VAULT_TRANSIT_KEY',
    'BOOTSTRAP_API_TOKEN',
    'ROTATION_GRACE_SECONDS',
    'BODY_LIMIT',
    'RATE_LIMIT_PER_MINUTE',
    'WORKSPACE_RATE_LIMIT_PER_MINUTE',
    'INTROSPECTION_RATE_LIMIT_PER_MINUTE',
    'AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE',
    'REDIS_URL',
    'AUDIT_RETENTION_DAYS',
    'AUDIT_REFUSAL_RETENTION_DAYS',
    'AUDIT_TOKEN_ACCESS_RETENTION_DAYS',
    'HISTORY_RETENTION_DAYS',
    'EVENT_RETENTION_HOURS',
    'LOG_LEVEL',
    'LOG_FORMAT',
    'METRICS_PORT',
    'WEBHOOK_RETENTION_DAYS',
    'WEBHOOK_DELIVERY',
    'WEBHOOK_ALLOW_HTTP',
    'WEBHOOK_ALLOWED_CIDRS',
    'CONSOLE',
    'CONSOLE_OIDC_ISSUER',
    'CONSOLE_OIDC_CLIENT_ID',
    'CONSOLE_OIDC_CLIENT_SECRET',
    'CONSOLE_OIDC_SCOPE',
    'CONSOLE_OIDC_GRANTS',
    'USAGE_RETENTION_DAYS',
  ]);
});

test.each([
  ['PORT', '8080', { port: 8080 }],
  ['BODY_LIMIT', '65536', { bodyLimit: 65_536 }],
  ['BODY_LIMIT', '1MiB', { bodyLimit: 1_048_576 }],
  ['BODY_LIMIT', '512 kib', { bodyLimit: 524_288 }],
  ['DATABASE_POOL_SIZE', '4', { databasePoolSize: 4 }],
  ['TRUST_PROXY', '2', { trustProxy: 2 }],
  ['TRUST_PROXY', 'loopback, 10.0.0.0/8, ::1', { trustProxy: ['loopback', '10.0.0.0/8', '::1'] }],
  ['WEBHOOK_ALLOWED_CIDRS', '10.1.2.3', { webhookAllowedCidrs: ['10.1.2.3'] }],
  [
    'WEBHOOK_ALLOWED_CIDRS',
    '::ffff:10.0.0.0/96,::/0,::ffff:10.1.2.3',
    { webhookAllowedCidrs: ['::ffff:10.0.0.0/96', '::/0', '::ffff:10.1.2.3'] },
  ],
  [
    'WEBHOOK_ALLOWED_CIDRS',
    '10.0.0.0/8, fd00:1::/32',
    { webhookAllowedCidrs: ['10.0.0.0/8', 'fd00:1::/32'] },
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"groups","value":"ops","workspace":"default","scopes":["admin","admin"]}]',
    {
      consoleOidcGrants: [
        { claim: ['groups'], value: 'ops', workspace: 'default', scopes: ['admin'] },
      ],
    },
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"realm_access.roles","prefix":"ops-","workspace":"default","scopes":["admin"]}]',
    {
      consoleOidcGrants: [
        {
          claim: ['realm_access', 'roles'],
          prefix: 'ops-',
          workspace: 'default',
          scopes: ['admin'],
        },
      ],
    },
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":["https://a.example/roles"],"value":"ops","workspace":"b","scopes":["admin"]}]',
    {
      consoleOidcGrants: [
        {
          claim: ['https://a.example/roles'],
          value: 'ops',
          workspace: 'b',
          scopes: ['admin'],
        },
      ],
    },
  ],
  ['LOG_LEVEL', 'warn', { logLevel: 'warn' }],
  ['LOG_LEVEL', 'INFO', { logLevel: 'info' }],
  ['LOG_LEVEL', 'Warn', { logLevel: 'warn' }],
  ['LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
  ['LOG_FORMAT', 'JSON', { logFormat: 'json' }],
  ['METRICS_PORT', '0', { metricsPort: 0 }],
  ['RATE_LIMIT_PER_MINUTE', '0', { rateLimitPerMinute: 0 }],
  ['INTROSPECTION_RATE_LIMIT_PER_MINUTE', '600000', { introspectionRateLimitPerMinute: 600_000 }],
  ['ROTATION_GRACE_SECONDS', '86400', { rotationGraceSeconds: 86_400 }],
  ['AUDIT_RETENTION_DAYS', '0', { auditRetentionDays: 0 }],
  ['MIGRATION_WAIT_SECONDS', '86400', { migrationWaitSeconds: 86_400 }],
  ['AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE', '0', { authenticationFailureLimitPerMinute: 0 }],
  ['PUBLIC_URL', 'HTTPS://A.example:443/', { publicUrl: 'https://a.example' }],
  ['PUBLIC_URL', 'http://127.0.0.1:3000', { publicUrl: 'http://127.0.0.1:3000' }],
  ['PUBLIC_URL', 'https://a.example/x/', { publicUrl: 'https://a.example/x' }],
  ['REDIS_URL', 'redis://127.0.0.1', { redisUrl: 'redis://127.0.0.1' }],
  ['REDIS_URL', 'rediss://u:p%40@[::1]:6380/3', { redisUrl: 'rediss://u:p%40@[::1]:6380/3' }],
  ['ROTATION_GRACE_SECONDS', '0', { rotationGraceSeconds: 0 }],
  ['BOOTSTRAP_API_TOKEN', own, { bootstrapApiToken: own }],
  [
    'TOKEN_ENCRYPTION_KEYS',
    `k2:${key},k1:${key}`,
    {
      tokenEncryptionKeys: [
        { id: 'k2', secret },
        { id: 'k1', secret },
      ],
    },
  ],
])('%s=%s is read', (name, value, expected) => {
  expect(read({ [name]: value })).toMatchObject(expected);
});

test.each([
  ['on', true],
  ['ON', true],
  ['true', true],
  ['Yes', true],
  ['1', true],
  ['off', false],
  ['False', false],
  ['no', false],
  ['0', false],
])('%s switches each on/off setting to %s', (value, expected) => {
  const names = { WEBHOOK_DELIVERY: value, WEBHOOK_ALLOW_HTTP: value, DOCS: value, CONSOLE: value };
  expect(read(names)).toMatchObject({
    webhookDelivery: expected,
    webhookAllowHttp: expected,
    docs: expected,
    console: expected,
  });
});

test.each([
  ['ROTATION_GRACE_SECONDS', '30m', { rotationGraceSeconds: 1800 }],
  ['ROTATION_GRACE_SECONDS', '1D', { rotationGraceSeconds: 86_400 }],
  ['SHUTDOWN_DELAY_SECONDS', '90s', { shutdownDelaySeconds: 90 }],
  ['MIGRATION_WAIT_SECONDS', '1h', { migrationWaitSeconds: 3600 }],
  ['AUDIT_RETENTION_DAYS', '8760h', { auditRetentionDays: 365 }],
  ['AUDIT_RETENTION_DAYS', '0s', { auditRetentionDays: 0 }],
  ['AUDIT_REFUSAL_RETENTION_DAYS', '1440m', { auditRefusalRetentionDays: 1 }],
  ['AUDIT_TOKEN_ACCESS_RETENTION_DAYS', '7d', { auditTokenAccessRetentionDays: 7 }],
  ['EVENT_RETENTION_HOURS', '7d', { eventRetentionHours: 168 }],
  ['EVENT_RETENTION_HOURS', '168', { eventRetentionHours: 168 }],
  ['WEBHOOK_RETENTION_DAYS', '48h', { webhookRetentionDays: 2 }],
])('the time %s=%s is read in the unit of its name', (name, value, expected) => {
  expect(read({ [name]: value })).toMatchObject(expected);
});

test.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '0x10'],
  ['PORT', '1e3'],
  ['PORT', ' 80'],
  ['BODY_LIMIT', '0'],
  ['BODY_LIMIT', 'lots'],
  ['BODY_LIMIT', '1GiB'],
  ['BODY_LIMIT', '1MB'],
  ['BODY_LIMIT', '512k'],
  ['BODY_LIMIT', '1 B'],
  ['DATABASE_POOL_SIZE', '3'],
  ['DATABASE_POOL_SIZE', '1001'],
  ['EVENT_RETENTION_HOURS', '90m'],
  ['EVENT_RETENTION_HOURS', '23h'],
  ['AUDIT_RETENTION_DAYS', '36h'],
  ['AUDIT_RETENTION_DAYS', '1w'],
  ['AUDIT_RETENTION_DAYS', '7 d'],
  ['AUDIT_RETENTION_DAYS', '1.5d'],
  ['ROTATION_GRACE_SECONDS', '25h'],
  ['ROTATION_GRACE_SECONDS', '10ms'],
  ['ROTATION_GRACE_SECONDS', '86401'],
  ['AUDIT_RETENTION_DAYS', '-1'],
  ['RATE_LIMIT_PER_MINUTE', '-1'],
  ['AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE', '1.5'],
  ['PUBLIC_URL', 'a.example'],
  ['PUBLIC_URL', 'ftp://a.example'],
  ['PUBLIC_URL', 'https://user:s3cret@a.example'],
  ['PUBLIC_URL', 'https://a.example/?x'],
  ['PUBLIC_URL', 'https://a.example/#x'],
  ['PUBLIC_URL', 'https:///'],
  ['PUBLIC_URL', `https://a.example/${'x'.repeat(183)}`],
  ['CONSOLE_OIDC_ISSUER', 'http://id.example.com'],
  ['CONSOLE_OIDC_CLIENT_ID', 'two words'],
  ['CONSOLE_OIDC_SCOPE', 'email'],
  ['CONSOLE_OIDC_GRANTS', 'ops=default'],
  ['CONSOLE_OIDC_GRANTS', '[]'],
  ['CONSOLE_OIDC_GRANTS', '{}'],
  ['CONSOLE_OIDC_GRANTS', '[null]'],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"a","value":"b","workspace":"c"}]'],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"a","value":"b","workspace":"c","scopes":[]}]'],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"a","value":1,"workspace":"c","scopes":["admin"]}]'],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"a","value":"b","workspace":"c","scopes":["root"]}]'],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"a","value":"b","workspace":"c","scopes":["admin"],"scope":"admin"}]',
  ],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"a","workspace":"c","scopes":["admin"]}]'],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"a","value":"b","prefix":"b","workspace":"c","scopes":["admin"]}]',
  ],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"a","prefix":"","workspace":"c","scopes":["admin"]}]'],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"email","prefix":"anna@","workspace":"c","scopes":["admin"]}]',
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"user.email","prefix":"anna@","workspace":"c","scopes":["admin"]}]',
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":["user","Email"],"prefix":"anna@","workspace":"c","scopes":["admin"]}]',
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":["https://a.example/email"],"prefix":"anna@","workspace":"c","scopes":["admin"]}]',
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":["https://a.example/claims#e-mail"],"prefix":"anna@","workspace":"c","scopes":["admin"]}]',
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"contact_email","prefix":"anna@","workspace":"c","scopes":["admin"]}]',
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"emails","prefix":"anna@","workspace":"c","scopes":["admin"]}]',
  ],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":["emails","value"],"prefix":"anna@","workspace":"c","scopes":["admin"]}]',
  ],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"upn","prefix":"anna@","workspace":"c","scopes":["admin"]}]'],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"preferred_username","prefix":"anna","workspace":"c","scopes":["admin"]}]',
  ],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"mail","prefix":"anna@","workspace":"c","scopes":["admin"]}]'],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":"a..b","value":"b","workspace":"c","scopes":["admin"]}]'],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":".a","value":"b","workspace":"c","scopes":["admin"]}]'],
  [
    'CONSOLE_OIDC_GRANTS',
    '[{"claim":"https://a.example/roles","value":"b","workspace":"c","scopes":["admin"]}]',
  ],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":[],"value":"b","workspace":"c","scopes":["admin"]}]'],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":["a",""],"value":"b","workspace":"c","scopes":["admin"]}]'],
  ['CONSOLE_OIDC_GRANTS', '[{"claim":["a",7],"value":"b","workspace":"c","scopes":["admin"]}]'],
  ['DATABASE_URL', 'postgres://u:p@ss/w#rd@127.0.0.1/db'],
  ['DATABASE_URL', 'postgres://u:pass/word@127.0.0.1/db'],
  ['DATABASE_URL', 'postgres://u:pass#word@127.0.0.1/db'],
  ['DATABASE_URL', 'postgres://u:pass?word@127.0.0.1/db'],
  ['DATABASE_DIRECT_URL', 'postgres://u:pass/word@127.0.0.1/db'],
  ['VAULT_ADDR', 'http://vault.example.com:8200'],
  ['VAULT_ADDR', 'http://10.20.30.40'],
  ['REDIS_URL', '127.0.0.1:6379'],
  ['REDIS_URL', 'http://127.0.0.1:6379'],
  ['REDIS_URL', 'redis:///0'],
  ['REDIS_URL', 'redis://127.0.0.1/zero'],
  ['REDIS_URL', 'redis://:p%zz@127.0.0.1'],
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', 'proxy.local'],
  ['WEBHOOK_ALLOWED_CIDRS', '10.0.0.0/33'],
  ['WEBHOOK_ALLOWED_CIDRS', '10.0.0.0/8/8'],
  ['WEBHOOK_ALLOWED_CIDRS', '::ffff:10.0.0.0/8'],
  ['WEBHOOK_ALLOWED_CIDRS', 'fd00:1::/32,::10.0.0.0/95'],
  ['WEBHOOK_ALLOWED_CIDRS', '64:ff9b::/64'],
  ['WEBHOOK_ALLOWED_CIDRS', 'fe80::1%eth0'],
  ['WEBHOOK_ALLOWED_CIDRS', 'loopback'],
  ['WEBHOOK_DELIVERY', 'yess'],
  ['WEBHOOK_DELIVERY', '2'],
  ['DOCS', 'enabled'],
  ['LOG_LEVEL', 'verbose'],
  ['LOG_FORMAT', 'xml'],
  ['DATABASE_URL', 'mysql://x/y'],
  ['DATABASE_URL', 'x'],
  ['DATABASE_URL', 'postgres://user@127.0.0.1:5432'],
  ['DATABASE_URL', 'postgres://user@127.0.0.1/'],
  ['DATABASE_URL', 'postgresql://user@127.0.0.1?sslmode=require'],
  ['DATABASE_DIRECT_URL', 'postgres://user@127.0.0.1:5432/?sslmode=require'],
  ['DATABASE_DIRECT_URL', 'x'],
  ['DATABASE_DIRECT_URL', 'postgres://x/y'],
  ['TOKEN_ENCRYPTION_KEYS', 'k1'],
  ['TOKEN_ENCRYPTION_KEYS', `k1:${key},k1:${key}`],
  ['TOKEN_ENCRYPTION_KEYS', `k1:${key.slice(0, 20)}`],
  ['TOKEN_ENCRYPTION_KEYS', `k 1:${key}`],
  ['BOOTSTRAP_API_TOKEN', 'short'],
  ['BOOTSTRAP_API_TOKEN', `${own} y`],
  ['BOOTSTRAP_API_TOKEN', 'b'.repeat(32)],
  ['BOOTSTRAP_API_TOKEN', '1234567890'.repeat(4)],
  ['BOOTSTRAP_API_TOKEN', 'changeme'.repeat(4)],
  ['TOKEN_ENCRYPTION_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`],
  ['TOKEN_ENCRYPTION_KEYS', `k2:${key},k1:${Buffer.alloc(32, 'ab').toString('base64')}`],
  ['TOKEN_ENCRYPTION_KEYS', `k1:${Buffer.from(counted).toString('base64')}`],
  ['TOKEN_ENCRYPTION_KEYS', `k1:${Buffer.alloc(32, secret.subarray(0, 16)).toString('base64')}`],
  ['BOOTSTRAP_API_TOKEN', generateToken('ugt')],
  ['BOOTSTRAP_API_TOKEN', `uga_${'0'.repeat(38)}`],
])('%s=%s is refused by its name, without its value', (name, value) => {
  expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`^${name} must `));
  try {
    loadConfig({ [name]: value });
  } catch (error) {
    if (value.length > 6) expect((error as Error).message).not.toContain(value);
  }
});

test.each([
  ["'postgres://u@h/db'", 'quotes'],
  ['"postgres://u@h/db"', 'quotes'],
  ['postgres://u:p,w@h1:5432,h2:5432/db', 'one host'],
  ['postgres://u@h1,h2/db', 'one host'],
  ['postgres://u@/db?host=/cloudsql/p:r:i', 'socket'],
  ['postgres://u:p@h', 'name a database'],
])('DATABASE_URL=%s is refused with what to write instead', (DATABASE_URL, instead) => {
  expect(() => loadConfig({ DATABASE_URL })).toThrow(new RegExp(`^DATABASE_URL must .*${instead}`));
});

test.each([
  'postgres://u@localhost/db?host=/run/postgresql',
  'postgresql:///db?host=/run/postgresql&user=u',
  'postgres://u:p@%2Frun%2Fpostgresql/db',
  'postgres://u:p,w@h/db',
])('DATABASE_URL=%s is taken', (DATABASE_URL) => {
  expect(loadConfig({ DATABASE_URL, TOKEN_ENCRYPTION_KEYS: `k1:${key}` }).databaseUrl).toBe(
    DATABASE_URL,
  );
});

test.each([
  'DATABASE_ULR',
  'TOKEN_ENCRYPTION_KEY',
  'BODYLIMIT',
  'LOGLEVEL',
  'METRIC_PORT',
  'DATADIR',
  'TRUST_PROXYS',
  'BOOTSTRAP_API_TOKEN_FIL',
  'log_level',
  'SHUTDOWN_DELAY',
  'SHUTDOWN_DELAY_MS',
  'RATE_LIMIT',
  'AUDIT_RETENTION_MINUTES',
  'BOOTSTRAP_TOKEN',
  'TOKEN_KEYS',
])('%s looks meant and is refused', (name) => {
  expect(() => loadConfig({ [name]: 'x' })).toThrow(/did you mean/);
});

test.each([
  'HOME',
  'HOSTNAME',
  'POST',
  'PORTS',
  'PATH',
  'DATABASE_NAME',
  'DATABASE',
  'API_TOKEN',
  'EMBED_TOKEN',
  'LOG_LEVEL_DEFAULT',
  'DATA_DIR_BACKUP',
  'LOGNAME',
  'XDG_DATA_DIRS',
  'KUBERNETES_PORT',
  'REDIS_PORT',
  'REDIS_HOST',
  'TEST_DATABASE_URL',
  'npm_config_loglevel',
])('%s is somebody else’s', (name) => {
  expect(() => loadConfig({ [name]: 'x' })).not.toThrow();
});

test('settings show no secret, by whichever way they are shown', () => {
  const config = loadConfig({
    DATABASE_URL: 'postgres://u:s3cret-1@127.0.0.1/x',
    REDIS_URL: 'redis://u:s3cret-2@127.0.0.1',
    VAULT_TOKEN: 's3cret-3',
    CONSOLE_OIDC_CLIENT_SECRET: 's3cret-4',
    BOOTSTRAP_API_TOKEN: `s3cret-5-${own}`,
    TOKEN_ENCRYPTION_KEYS: `k1:${key}`,
  });
  const shown = [inspect(config, { depth: 9 }), inspect({ config }, { depth: 9 })];
  for (const text of [...shown, JSON.stringify(config)]) {
    expect(text).toContain('127.0.0.1');
    for (const secretText of ['s3cret', key, inspect(secret).slice(8, 30)]) {
      expect(text).not.toContain(secretText);
    }
  }
  expect(config.databaseUrl).toBe('postgres://u:s3cret-1@127.0.0.1/x');
});

const GRANTS = '[{"claim":"groups","value":"ops","workspace":"default","scopes":["admin"]}]';

describe('a secret in a file', () => {
  let directory: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'user-groups-config-'));
    writeFileSync(join(directory, 'secret'), `k1:${key}\n`);
    writeFileSync(join(directory, 'grants'), GRANTS);
  });

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  test('is read without its line end', () => {
    const { tokenEncryptionKeys } = loadConfig({
      TOKEN_ENCRYPTION_KEYS_FILE: join(directory, 'secret'),
    });
    expect(tokenEncryptionKeys).toEqual([{ id: 'k1', secret }]);
  });

  test('conflicts with the variable itself', () => {
    const env = {
      TOKEN_ENCRYPTION_KEYS: `k1:${key}`,
      TOKEN_ENCRYPTION_KEYS_FILE: join(directory, 'secret'),
    };
    expect(() => loadConfig(env)).toThrow(/are both set/);
  });

  test('must be there', () => {
    expect(() => loadConfig({ DATABASE_URL_FILE: join(directory, 'none') })).toThrow(
      /^DATABASE_URL_FILE names a file that cannot be read \(ENOENT\)/,
    );
  });

  test('grants can be in a file too, and are shown', () => {
    const config = read({ CONSOLE_OIDC_GRANTS_FILE: join(directory, 'grants') });
    expect(config.consoleOidcGrants).toMatchObject([
      { claim: ['groups'], value: 'ops', workspace: 'default' },
    ]);
    expect(inspect(config, { depth: 9 })).toContain("value: 'ops'");
    expect(() => loadConfig({ CONSOLE_OIDC_GRANT_FILE: 'x' })).toThrow(
      /did you mean CONSOLE_OIDC_GRANTS_FILE/,
    );
    expect(() => loadConfig({ LOG_LEVEL_FILE: 'x' })).not.toThrow();
    expect(() => loadConfig({ PORT: '1', PORT_FILE: '/nowhere' })).not.toThrow();
  });

  test.each(['DATABASE_URL', 'TOKEN_ENCRYPTION_KEYS', 'BOOTSTRAP_API_TOKEN', 'REDIS_URL'])(
    '%s can be one',
    (name) => {
      expect(variables.find((variable) => variable.name === name)?.secret).toBe(true);
    },
  );
});

describe('an identity provider', () => {
  const all = {
    CONSOLE_OIDC_ISSUER: 'https://id.example.com',
    CONSOLE_OIDC_CLIENT_ID: 'console',
    CONSOLE_OIDC_GRANTS: GRANTS,
    PUBLIC_URL: 'https://user-groups.example.com',
  };

  test.each(['https://id.example.com/application/o/x/', 'https://ID.example.com:443/realms/ops'])(
    'is kept as it is given: %s',
    (issuer) => {
      const config = read({ ...all, CONSOLE_OIDC_ISSUER: issuer });
      expect(config.consoleOidcIssuer).toBe(issuer);
    },
  );

  test('may be on this machine without TLS', () => {
    const issuer = 'http://127.0.0.1:9000';
    const config = read({ ...all, CONSOLE_OIDC_ISSUER: issuer });
    expect(config.consoleOidcIssuer).toBe(issuer);
  });

  test.each(['PUBLIC_URL', 'CONSOLE_OIDC_CLIENT_ID', 'CONSOLE_OIDC_GRANTS'])('needs %s', (name) => {
    expect(() => loadConfig({ ...all, [name]: '' })).toThrow(
      `${name} must be set for CONSOLE_OIDC_ISSUER.`,
    );
  });
});
