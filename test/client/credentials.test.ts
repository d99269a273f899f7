import { inspect } from 'node:util';
import { CachedIntrospector, UserGroupClient } from '../../clients/typescript/index.ts';
import { letIntrospectorsWait } from '../support/time/patience.ts';
import { until } from '../support/time/until.ts';
import { freePort } from '../system/lab/ports.mjs';
import { withService } from '../support/test-service.ts';

beforeAll(letIntrospectorsWait);

const service = withService('sqlite');
const SECRET = 's3cretS3cretS3cret';

test.each([
  ['a line feed within the token', { apiToken: `${SECRET}\nx` }],
  ['NUL in the token', { apiToken: `${SECRET}\0` }],
  ['a token that no header can carry', { apiToken: `${SECRET}€` }],
  ['a password in the URL', { baseUrl: `http://u:${SECRET}@127.0.0.1:1` }],
  ['a password that is not encoded', { baseUrl: `http://u:${SECRET}/x@127.0.0.1:1` }],
  ['a user in the URL', { baseUrl: `http://${SECRET}@127.0.0.1:1` }],
  ['a URL without its scheme', { baseUrl: `u:${SECRET}@127.0.0.1:1` }],
  ['a token in the query of the URL', { baseUrl: `http://127.0.0.1:1/?token=${SECRET}` }],
])('%s is refused before a call, and is not shown', (_name, wrong) => {
  const options = { baseUrl: 'http://127.0.0.1:1', apiToken: 't', ...wrong };
  for (const make of [() => new UserGroupClient(options), () => new CachedIntrospector(options)]) {
    const error = thrownBy(make);
    expect(error).toBeInstanceOf(TypeError);
    expect(everythingOf(error)).not.toContain(SECRET);
  }
});

test.each([
  [{ baseUrl: 'http://127.0.0.1:1' }, 'apiToken is missing; it must be a text'],
  [{ apiToken: 't' }, 'baseUrl must be an http or https URL'],
])('with %j alone an error names what is missing', (given, message) => {
  for (const Client of [UserGroupClient, CachedIntrospector]) {
    const make = () => new Client(given as ConstructorParameters<typeof CachedIntrospector>[0]);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  }
});

test('whitespace around a token is removed', async () => {
  const options = { baseUrl: service.baseUrl, apiToken: ` ${service.bootstrapToken}\r\n\n` };
  expect((await new UserGroupClient(options).getWorkspace()).success).toBe(1);
  const introspector = new CachedIntrospector(options);
  expect(await introspector.introspect('none')).toEqual({ active: false });
  introspector.close();
});

test('a callback that throws ends neither the process nor the stream', async () => {
  const calls: unknown[] = [];
  const onStreamError = (error: unknown) => {
    calls.push(error);
    throw new Error('the logger is closed');
  };
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const introspector = new CachedIntrospector({ baseUrl, apiToken: SECRET, onStreamError });
  await until(() => calls.length > 1);
  introspector.close();
});

test('neither a client nor what it throws shows a token', async () => {
  const errors: unknown[] = [];
  const away = { baseUrl: `http://127.0.0.1:${await freePort()}`, apiToken: SECRET };
  const client = new UserGroupClient({ ...away, maxRetries: 0 });
  const introspector = new CachedIntrospector({
    ...away,
    onStreamError: (error) => errors.push(error),
  });
  const calls = [client.getWorkspace(), introspector.introspect(`ugt_${SECRET}`)];
  for (const result of await Promise.allSettled(calls)) {
    expect(result.status).toBe('rejected');
    errors.push((result as PromiseRejectedResult).reason);
  }
  introspector.close();
  const shown = [client, introspector, ...errors];
  expect(shown.map(everythingOf).join('\n')).not.toContain(SECRET);

  const { baseUrl, bootstrapToken } = service;
  const { token } = await service.api.create();
  const remembering = new CachedIntrospector({ baseUrl, apiToken: bootstrapToken });
  while (remembering.counts.remembered === 0) await remembering.introspect(token);
  const memory = everythingOf(remembering);
  remembering.close();
  expect(memory).toContain('remembered');
  for (const secret of [token, bootstrapToken]) expect(memory).not.toContain(secret);
});

function thrownBy(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The text that a log or a stack trace could show. */
function everythingOf(value: unknown): string {
  return inspect(value, { depth: Infinity, showHidden: true }) + JSON.stringify(value);
}
