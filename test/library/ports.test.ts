import { NestFactory } from '@nestjs/core';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  Introspector,
  KeyProvider,
  operator,
  Tokens,
  UserGroupServiceModule,
  type UserGroupOptions,
  UserGroups,
  UserGroupTokenFormat,
} from '../../src/server/library/index.ts';
import type { PortProvider } from '../../src/server/library/index.ts';
import { keyList } from '../system/lab/keys.mjs';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';

const caller = operator(1);
const GROUP = { user_group_id: 'acme', name: 'Acme' };

onEachDatabase((kind) => {
  let database: TestDatabase;
  let options: UserGroupOptions;

  beforeEach(async () => {
    database = await createTestDatabase(kind);
    const { env } = database;
    options = {
      ...(kind === 'postgres'
        ? { databaseUrl: env['DATABASE_URL'] }
        : { dataDir: env['DATA_DIR'] }),
      tokenEncryptionKeys: keyList('k1'),
      webhookDelivery: false,
    };
  });

  afterEach(() => database.drop());

  const start = (...ports: PortProvider[]) =>
    NestFactory.createApplicationContext(
      UserGroupServiceModule.forRoot({ ...options, http: false, ports }),
      {
        logger: false,
        abortOnError: false,
      },
    );

  test('keys come from the application', async () => {
    const key = { id: 'kms', secret: randomBytes(32) };
    const provider = { provide: KeyProvider, useValue: { keys: () => Promise.resolve([key]) } };
    const configured = options;
    // None need be configured then, also on PostgreSQL.
    options = { ...options, tokenEncryptionKeys: undefined };
    const app = await start(provider);
    const { user_group } = await app.get(UserGroups).put(caller, GROUP);
    await app.close();
    options = configured;
    // The configured key is another.
    await expect(start()).rejects.toThrow('key "kms", which is not configured');
    const again = await start(provider);
    const { user_group: found } = await again.get(UserGroups).put(caller, GROUP);
    expect(found.token).toBe(user_group.token);
    await again.close();
  });

  test.each([
    ['none', []],
    ['a short one', [{ id: 'k', secret: Buffer.alloc(16, 1) }]],
    ['an id that cannot be stored', [{ id: 'k:1', secret: randomBytes(32) }]],
    ['two of one id', ['k', 'k'].map((id) => ({ id, secret: randomBytes(32) }))],
  ])('keys that cannot be used end the start: %s', async (_what, keys) => {
    const useValue = { keys: () => Promise.resolve(keys) };
    await expect(start({ provide: KeyProvider, useValue })).rejects.toThrow(
      'keys of the application must return one or more keys',
    );
  });

  test('tokens have the form that the application gives them', async () => {
    const useValue = { generate: () => `acme.${randomUUID()}` };
    const app = await start({ provide: UserGroupTokenFormat, useValue });
    const { user_group: first } = await app.get(UserGroups).put(caller, GROUP);
    expect(first.token).toMatch(/^acme\.[0-9a-f-]{36}$/);
    const body = { current_token: first.token };
    const { user_group: next } = await app.get(Tokens).rotate(caller, body);
    expect(next.token).toMatch(/^acme\./);
    const introspector = app.get(Introspector);
    expect(await introspector.introspect(caller, { token: next.token })).toMatchObject({
      active: true,
      sub: 'acme',
    });
    expect(await introspector.introspect(caller, { token: first.token })).toEqual({
      active: false,
    });
    await app.close();
  });

  test('a token that cannot be one stops the write, and is not shown', async () => {
    const useValue = { generate: () => 'uga_too-much-like-an-API-token' };
    const app = await start({ provide: UserGroupTokenFormat, useValue });
    const writing = app.get(UserGroups).put(caller, GROUP);
    await expect(writing).rejects.toThrow(
      'generate of the application must return what can be the token',
    );
    await expect(writing).rejects.not.toThrow('too-much');
    await expect(app.get(UserGroups).get(caller, 'acme')).rejects.toThrow();
    await app.close();
  });

  test('a token that cannot be one leaves the one that was to be replaced as it is', async () => {
    const useValue = { generate: () => `acme.${randomUUID()}` };
    const app = await start({ provide: UserGroupTokenFormat, useValue });
    const { user_group: group } = await app.get(UserGroups).put(caller, GROUP);
    useValue.generate = () => 'uga_too-much-like-an-API-token';
    const body = { current_token: group.token };
    await expect(app.get(Tokens).rotate(caller, body)).rejects.toThrow(
      'generate of the application must return what can be the token of a user group',
    );
    useValue.generate = () => `acme.${randomUUID()}`;
    const { user_group: next } = await app.get(Tokens).rotate(caller, body);
    expect(next.token).not.toBe(group.token);
    await app.close();
  });
});
