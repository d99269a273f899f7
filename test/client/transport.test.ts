import { inspect } from 'node:util';
import {
  type ApiError,
  CachedIntrospector,
  type ClientOptions,
  type Schemas,
  UserGroupClient,
} from '../../clients/typescript/index.ts';
import { type Fault, MisbehavingProxy } from '../support/servers/misbehaving-proxy.ts';
import { withService } from '../support/test-service.ts';
import { letIntrospectorsWait } from '../support/time/patience.ts';
import { until } from '../support/time/until.ts';
import { freePort } from '../system/lab/ports.mjs';

beforeAll(letIntrospectorsWait);

const service = withService('sqlite');
let proxy: MisbehavingProxy;

beforeAll(async () => {
  proxy = await MisbehavingProxy.start(service.baseUrl);
});

afterAll(() => proxy.close());

function clientWith(
  fault: Fault | `${Fault}-once` | 'none',
  options: Partial<ClientOptions> = {},
): UserGroupClient {
  proxy.taken();
  return new UserGroupClient({
    baseUrl: proxy.url(fault),
    apiToken: service.bootstrapToken,
    ...options,
  });
}

/** The error of a call that is made once. */
async function errorOf(call: PromiseLike<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('it was not refused');
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test.each<[Fault, Partial<ApiError>, RegExp]>([
  ['empty', { status: 502, code: undefined }, /^502: .* no content type, an empty body$/],
  [
    'html',
    { status: 502, code: undefined },
    /^502: .* text\/html, a body that begins with "<html><body><h1>Bad Gateway/,
  ],
  [
    'page',
    { status: 200, code: undefined },
    /^200: .* text\/html, a body that begins with "<html>/,
  ],
  ['late', { status: 503, code: undefined, retryAfter: 3600 }, /^503: .* an empty body$/],
  ['hang', { status: undefined, code: undefined }, /^the service sent nothing for 300 ms$/],
])(
  'a proxy that does "%s" is told apart from the service, and asked once',
  async (fault, fields, message) => {
    const error = await errorOf(
      clientWith(fault, fault === 'hang' ? { timeoutMs: 300 } : {}).getWorkspace(),
    );
    expect(error).toMatchObject({ name: 'ApiError', errors: [], ...fields });
    expect(error.message).toMatch(message);
    expect(proxy.taken()).toEqual(['GET']);
  },
);

test('a response of which half is missing puts nothing of it into an error', async () => {
  const { token } = await service.api.create({
    user_group_id: 'hidden-id',
    properties: { region: 'hidden-region', note: 'x'.repeat(500) },
  });
  const error = await errorOf(clientWith('half').introspectToken({ token }));
  expect(error.message).toMatch(
    /^200: .*: application\/json; charset=utf-8, \d+ characters of JSON$/,
  );
  const introspector = new CachedIntrospector({
    baseUrl: proxy.url('half'),
    apiToken: service.bootstrapToken,
  });
  const other = await errorOf(introspector.introspect(token));
  introspector.close();
  expect(other.message).toBe(error.message);
  expect(inspect([error, other], { depth: 9 })).not.toMatch(/hidden|active/);
});

describe('a connection that is lost amid the response', () => {
  test('is an error when it is lost each time', async () => {
    const error = await errorOf(clientWith('cut', { maxRetries: 1 }).getWorkspace());
    expect(error).toMatchObject({
      status: undefined,
      message: `${new URL(proxy.url('cut')).origin}: the connection failed or was lost (UND_ERR_SOCKET)`,
    });
    expect(proxy.taken()).toEqual(['GET', 'GET']);
  });

  test('a service that is not there is named with the reason, and without the API token', async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}/prefix`;
    const client = new UserGroupClient({ baseUrl, apiToken: 'hidden', maxRetries: 0 });
    const { message } = await errorOf(client.getWorkspace());
    expect(message).toBe(
      `http://127.0.0.1:${port}: the connection failed or was lost (ECONNREFUSED)`,
    );
  });

  type SafeCall = [name: string, call: (client: UserGroupClient) => PromiseLike<unknown>];
  const SAFE: SafeCall[] = [
    ['a GET', (client) => client.getWorkspace()],
    ['a PUT', (client) => client.upsertUserGroup({ user_group_id: 'put', name: 'P' })],
    ['a look-up', (client) => client.createOrLookUpUserGroup({ user_group_id: 'put' })],
    ['an introspection', (client) => client.introspectToken({ token: 'none' })],
  ];

  test.each(SAFE)('is made up for by a second attempt of %s', async (_name, call) => {
    await service.api.put({ user_group_id: 'put', name: 'P' });
    await call(clientWith('cut-once'));
    expect(proxy.taken()).toHaveLength(2);
  });

  test('creates once what a POST with a key creates', async () => {
    const client = clientWith('cut-once');
    const { schema } = await client.createSchema({ provided_id: 'once', name: 'Once' });
    const attempts = proxy.attempts.splice(0);
    expect(new Set(attempts.map(({ key }) => key)).size).toBe(1);
    expect(attempts.map(({ key }) => typeof key)).toEqual(['string', 'string']);
    const { schemas } = await clientWith('none').listSchemas({ provided_id: 'once' });
    expect(schemas.map(({ id }) => id)).toEqual([schema.id]);
  });

  test('sends a key that is given as it is, and another for each call', async () => {
    await service.api.put({ user_group_id: 'keys', name: 'K' });
    const client = clientWith('none');
    await client.rotateUserGroupTokenById('keys', {}, { idempotencyKey: 'mine' });
    await client.rotateUserGroupTokenById('keys');
    await client.rotateUserGroupTokenById('keys');
    await client.issueEmbedToken('keys', { audience: 'a' });
    const keys = proxy.attempts.map(({ key }) => key);
    expect([keys[0], new Set(keys).size, keys[3]]).toEqual(['mine', 4, undefined]);
  });

  test('does not repeat what could be done twice', async () => {
    await service.api.put({ user_group_id: 'unsafe', name: 'U' });
    const client = clientWith('cut');
    const calls = [
      () => client.suspendUserGroup('unsafe'),
      () => client.updateUserGroup('unsafe', { name: 'V' }),
      () => all(client.importUserGroups([{ user_group_id: 'unsafe', name: 'W' }])),
    ];
    for (const call of calls) {
      proxy.taken();
      expect(await errorOf(call())).toMatchObject({ name: 'ApiError', status: undefined });
      expect(proxy.taken()).toHaveLength(1);
    }
    expect(
      await errorOf(client.updateUserGroup('unsafe', {}, { ifMatch: '*', maxRetries: 1 })),
    ).toBeInstanceOf(Error);
    expect(proxy.taken()).toEqual(['PATCH', 'PATCH']);
  });

  test('ends an export with an error, never as if it were whole', async () => {
    for (let index = 0; index < 20; index++) {
      await service.api.put({ user_group_id: `x${index}`, name: 'X' });
    }
    const lines: unknown[] = [];
    const read = async () => {
      for await (const line of clientWith('cut').exportUserGroups()) lines.push(line);
    };
    expect(await errorOf(read())).toMatchObject({ name: 'ApiError', status: undefined });
    expect(lines.length).toBeGreaterThan(0);
  });
});

test.each(['busy-once', 'limited-once'] as const)(
  'a service that is %s is asked again after Retry-After',
  async (fault) => {
    const client = clientWith(fault);
    const wait = jest.spyOn(globalThis, 'setTimeout');
    await client.getWorkspace();
    expect(wait.mock.calls.map(([, ms]) => ms)).toContain(1000);
    wait.mockRestore();
    expect(proxy.taken()).toEqual(['GET', 'GET']);
    expect(await errorOf(clientWith('busy').suspendUserGroup('x'))).toMatchObject({
      status: 503,
      retryAfter: 1,
    });
    expect(proxy.taken()).toEqual(['POST']);
  },
);

describe('a caller', () => {
  test('can end a call, and the pause before its next attempt, with a reason of its own', async () => {
    for (const fault of ['hang', 'busy'] as const) {
      const client = clientWith(fault);
      const abort = new AbortController();
      const wait = jest.spyOn(globalThis, 'setTimeout');
      const called = errorOf(client.getWorkspace({ signal: abort.signal }));
      const pauses = () => wait.mock.calls.some(([, ms]) => ms === 1000);
      await until(() => (fault === 'hang' ? proxy.attempts.length > 0 : pauses()));
      wait.mockRestore();
      abort.abort(new Error('not needed'));
      expect(await called).toMatchObject({ message: 'not needed' });
      expect(proxy.taken()).toEqual(['GET']);
    }
  });

  test('gets its own error out of the lines that it sends, and what it sends wrongly is not sent', async () => {
    function* lines(): Generator<Schemas['UserGroupLine']> {
      yield { user_group_id: 'mine', name: 'M' };
      throw new Error('the file is broken');
    }
    const client = clientWith('none');
    expect(await errorOf(all(client.importUserGroups(lines())))).toMatchObject({
      message: 'the file is broken',
    });
    proxy.taken();
    expect(await errorOf(client.getUserGroup('..'))).toBeInstanceOf(RangeError);
    expect(
      await errorOf(client.rotateUserGroupTokenById('x', {}, { idempotencyKey: 'ä€' })),
    ).toMatchObject({
      name: 'TypeError',
    });
    expect(proxy.taken()).toEqual([]);
  });

  test('can stop reading a list, a stream and an export', async () => {
    const client = clientWith('none');
    for (let index = 0; index < 3; index++) {
      await service.api.put({ user_group_id: `stop ${index}`, name: 'S' });
    }
    proxy.taken();
    for await (const group of client.listUserGroups({ limit: 1 })) {
      expect(group.team_id).toBe(1);
      break;
    }
    for await (const line of client.exportUserGroups()) {
      expect(line).toHaveProperty('provided_id');
      break;
    }
    expect(proxy.taken()).toEqual(['GET', 'POST']);
  });

  test('is told to the service by its version', async () => {
    await clientWith('none').getWorkspace();
    expect(proxy.attempts[0]!.agent).toMatch(/^user-group-service-typescript\/\d+\.\d+\.\d+$/);
  });
});
