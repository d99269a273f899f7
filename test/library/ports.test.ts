import { NestFactory } from '@nestjs/core';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  Introspector,
  KeyProvider,
  operator,
  Tokens,
  UnknownTokens,
  UserGroupImports,
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
import { letServicesWait } from '../support/time/patience.ts';

const caller = operator(1);
const GROUP = { user_group_id: 'acme', name: 'Acme' };

beforeAll(letServicesWait);

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

  test('tokens that the workspace does not know are taken over by the application', async () => {
    const shown: unknown[] = [];
    let adopt: () => unknown = () => false;
    const useValue = {
      adopt: (...args: unknown[]) => {
        shown.push(args);
        return adopt();
      },
    };
    const app = await start({ provide: UnknownTokens, useValue: useValue as UnknownTokens });
    const introspector = app.get(Introspector);
    const token = `old-${randomUUID()}`;
    const introspect = (text = token) => introspector.introspect(caller, { token: text });
    const { user_group: group } = await app.get(UserGroups).put(caller, GROUP);
    expect(await introspect(group.token)).toMatchObject({ active: true });
    expect(await introspect('too short')).toEqual({ active: false });
    expect(shown).toEqual([]);
    expect(await introspect()).toEqual({ active: false });
    expect(shown).toEqual([[token, 1]]);
    adopt = () => 'yes';
    await expect(introspect()).rejects.toThrow(
      'adopt of the application must return true or false',
    );
    adopt = () => Promise.reject(new Error(`no ${token}`));
    await expect(introspect()).rejects.toThrow('adopt of the application has failed');
    adopt = () => true;
    expect(await introspect()).toEqual({ active: false });
    const line = JSON.stringify({ provided_id: 'old', name: 'Old', token });
    adopt = () => app.get(UserGroupImports).create(caller, line);
    expect(await introspect()).toMatchObject({ active: true, sub: 'old' });
    await app.close();
  });

  test('an application creates groups with tokens of another system, and changes none', async () => {
    const app = await start();
    const imports = app.get(UserGroupImports);
    const create = (line: object, by = caller) => imports.create(by, JSON.stringify(line));
    const token = `old-${randomUUID()}`;
    const line = { user_group_id: 'acme', name: 'Acme', properties: { seats: 1 }, token };
    expect(await create(line)).toBe(true);
    expect(await create({ ...line, name: 'Other', token: `new-${randomUUID()}` })).toBe(false);
    expect(await app.get(UserGroups).get(caller, 'acme')).toMatchObject({ name: 'Acme' });
    expect((await app.get(Tokens).getCurrent(caller, 'acme')).user_group.token).toBe(token);
    const refused: [object, object][] = [
      [{ ...line, provided_id: 'twin', user_group_id: undefined }, { code: 'token_not_usable' }],
      [{ ...line, provided_id: 'acme' }, { code: 'validation_failed' }],
      [{ ...line, team_id: 1 }, { code: 'validation_failed' }],
      [{ user_group_id: 'new' }, { code: 'validation_failed' }],
    ];
    for (const [body, spec] of refused) await expect(create(body)).rejects.toMatchObject({ spec });
    await expect(imports.create(caller, '{"provided_id": "x", "name": 1')).rejects.toMatchObject({
      spec: { code: 'json_malformed' },
    });
    const writer = { ...caller, scopes: new Set(['user-groups:write'] as const) };
    await expect(create({ user_group_id: 'new', name: 'N', token }, writer)).rejects.toMatchObject({
      spec: { code: 'insufficient_scope' },
    });
    await app.get(UserGroups).delete(caller, 'acme');
    await expect(create(line)).rejects.toMatchObject({ spec: { code: 'token_not_usable' } });
    expect(await create({ ...line, token: undefined })).toBe(true);
    await app.close();
  });
});
