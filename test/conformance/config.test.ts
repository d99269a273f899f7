import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withHandle } from '../../clients/conformance/config-offers.ts';
import {
  ConfigError,
  configOf,
  readConfig,
  valueAt,
  withValue,
} from '../../clients/conformance/config.ts';

const ENV = { API: ' uga_secret\n' };
const CONFIG = {
  service: { url: 'https://user-groups.example.com/', api_token_env: 'API' },
  renderer: { url: 'http://127.0.0.1:4000/query', body: { token: '{token}' } },
  schema: 'sales',
  tenants: [
    {
      data_source: 'one',
      properties: { region: 'EMEA', address: { city: 'Oslo' } },
      shows: ['Tents'],
    },
    {
      data_source: 2,
      properties: { region: 'APAC', address: { city: 'Perth' } },
      shows: ['Sensors'],
    },
  ],
  variables: { region: 'string', 'address.city': 'string[]?' },
  never_shows: ['canary'],
};

/** The faults of the configuration with these members in place of its own. */
function faultsWith(own: object): string[] {
  try {
    configOf({ ...CONFIG, ...own }, ENV);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

test('a configuration is read, with what it leaves out', () => {
  const config = configOf(CONFIG, ENV);
  expect(config.service).toMatchObject({
    url: 'https://user-groups.example.com',
    apiToken: 'uga_secret',
  });
  expect(config.template).toMatchObject({ method: 'POST', body: { token: '{token}' } });
  expect(config).toMatchObject({
    promiseSeconds: 1,
    staleSeconds: 0,
    proxy: undefined,
    embed: undefined,
  });
  expect(config.variables?.[1]).toEqual({
    name: 'address.city',
    type: 'string',
    isList: true,
    isOptional: true,
  });
});

test.each<[string, object, string]>([
  ['an unknown member', { tennants: [] }, '/tennants is unknown'],
  ['no service', { service: undefined }, '/service must be an object'],
  ['one tenant', { tenants: CONFIG.tenants.slice(1) }, '/tenants must have two entries'],
  [
    'a token in the file',
    { service: { ...CONFIG.service, api_token: 'uga_x' } },
    '/service/api_token must not be in the file',
  ],
  [
    'a variable that is not set',
    { service: { ...CONFIG.service, api_token_env: 'NONE' } },
    '/service/api_token_env names NONE, which is not set',
  ],
  [
    'a file that is not there',
    { service: { url: CONFIG.service.url, api_token_file: '/nowhere' } },
    '/service/api_token_file cannot be read',
  ],
  [
    'a header that is no text',
    { renderer: { ...CONFIG.renderer, headers: { 'X-Seats': 5 } } },
    '/renderer/headers/X-Seats must be a text',
  ],
  [
    'a body that is a number',
    { renderer: { ...CONFIG.renderer, body: 5 } },
    '/renderer/body must be a text or an object',
  ],
  [
    'no place for the token',
    { renderer: { url: 'http://127.0.0.1:4000/' } },
    '/renderer has no {token}',
  ],
  [
    'a token in the arguments',
    { renderer: { command: ['./render', '{token}'], stdin: '{token}' } },
    '/renderer/command must not have {token}',
  ],
  [
    'an address without a scheme',
    { renderer: { url: '127.0.0.1/{token}' } },
    '/renderer/url must begin with http:// or https://',
  ],
  ['variables that are none', { variables: [] }, '/variables must be an object'],
  ['a type that is none', { variables: { region: 'text' } }, '/variables/region must be a type'],
  [
    'a variable that a tenant lacks',
    { variables: { max_rows: 'integer' } },
    '/tenants/0/properties lacks max_rows',
  ],
  ['no row that nobody may see', { never_shows: [] }, '/never_shows must name a row'],
  [
    'a proxy for the whole network',
    { proxy: '192.0.2.1:80' },
    '/proxy must be an address of this machine',
  ],
  [
    'rows of both tenants',
    { tenants: [CONFIG.tenants[0], { ...CONFIG.tenants[1], shows: ['Tents'] }] },
    '"Tents" is in what both tenants show',
  ],
  ['a gateway without headers', { gateway: {} }, '/gateway/headers must have a header at least'],
  [
    'a header that is no text',
    { gateway: { headers: { 'X-Region': 1 } } },
    '/gateway/headers/X-Region must be a text',
  ],
  [
    'an embed page without an audience',
    { embed: { verified: 'maybe' } },
    '/embed/verified must be',
  ],
  [
    'a cursor without a place',
    { renderer: { ...CONFIG.renderer, cursor: { request: { url: '{handle}' }, shows: ['x'] } } },
    '/renderer/cursor needs one of field and header',
  ],
  [
    'a cursor that no call takes',
    {
      renderer: {
        ...CONFIG.renderer,
        cursor: { field: 'next', request: { url: 'http://127.0.0.1/{token}' }, shows: ['x'] },
      },
    },
    '/renderer/cursor/request has no {handle}',
  ],
  [
    'a stream without a token',
    { renderer: { ...CONFIG.renderer, stream: { url: 'ws://127.0.0.1/' } } },
    '/renderer/stream has no {token}',
  ],
  [
    'an event stream that is asked',
    { renderer: { ...CONFIG.renderer, stream: { url: 'http://127.0.0.1/{token}', ask: 'x' } } },
    '/renderer/stream is no WebSocket',
  ],
  [
    'a WebSocket with a body',
    { renderer: { ...CONFIG.renderer, stream: { url: 'ws://127.0.0.1/{token}', body: 'x' } } },
    '/renderer/stream is a WebSocket, which has neither',
  ],
  [
    'a message that is a number',
    { renderer: { ...CONFIG.renderer, stream: { url: 'ws://127.0.0.1/{token}', send: [1] } } },
    '/renderer/stream/send/0 must be a text or an object',
  ],
  [
    'a stream of another scheme',
    { renderer: { ...CONFIG.renderer, stream: { url: 'mqtt://127.0.0.1/{token}' } } },
    '/renderer/stream/url must begin with http://, https://, ws:// or wss://',
  ],
  ['two places for the SQL', { sql: { header: 'X-SQL', field: 'sql' } }, '/sql needs one of'],
])('%s is a fault that names its place', (_what, own, fault) => {
  expect(faultsWith(own).join('\n')).toContain(fault);
});

test('all faults are told at once, and none shows a secret', () => {
  const faults = faultsWith({
    service: { url: 1, api_token: 'uga_secret', api_token_env: 'API' },
    schema: 7,
    never_shows: [],
  });
  expect(faults).toHaveLength(4);
  expect(faults.join()).not.toContain('uga_secret');
});

describe('a file', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'conformance-config-'))));
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  test('names other files from where it is', () => {
    const service = { url: CONFIG.service.url, api_token_file: 'token' };
    writeFileSync(join(directory, 'token'), 'uga_of_a_file\n');
    const renderer = { ...CONFIG.renderer, logs: ['renderer.log'] };
    writeFileSync(
      join(directory, 'renderer.json'),
      JSON.stringify({ ...CONFIG, service, renderer }),
    );
    const config = readConfig(join(directory, 'renderer.json'), {});
    expect([config.service.apiToken, config.logs]).toEqual([
      'uga_of_a_file',
      [join(directory, 'renderer.log')],
    ]);
  });

  test('that is not there, or is not JSON, says so', () => {
    writeFileSync(join(directory, 'half.json'), '{');
    expect(() => readConfig(join(directory, 'half.json'), {})).toThrow('half.json is not JSON');
    expect(() => readConfig(join(directory, 'none.json'), {})).toThrow('none.json cannot be read');
  });
});

test('what a response hands out goes into the address, the headers or the body, as it is meant there', () => {
  const base = 'https://bi.example.com/query';
  const callOf = (url: string, handle: string) =>
    withHandle({ url, method: 'GET', headers: {} }, handle, base).url;
  expect(callOf('{handle}', '/files/a b?x=1')).toBe('https://bi.example.com/files/a%20b?x=1');
  expect(callOf('{handle}&token={token}', 'https://files.example.com/?f=1')).toBe(
    'https://files.example.com/?f=1&token={token}',
  );
  expect(callOf('https://bi.example.com/?after={handle}', 'a&b=c')).toBe(
    'https://bi.example.com/?after=a%26b%3Dc',
  );
  const body = { token: '{token}', page: [{ after: '{handle}', size: 5, end: null }] };
  expect(
    withHandle(
      { url: base, method: 'POST', headers: { 'X-After': '{handle}' }, body },
      '"x"',
      base,
    ),
  ).toEqual({
    url: base,
    method: 'POST',
    headers: { 'X-After': '"x"' },
    body: { token: '{token}', page: [{ after: '"x"', size: 5, end: null }] },
  });
});

test('a path names a nested value, and leaves the others', () => {
  const properties = { region: 'EMEA', address: { city: 'Oslo', zip: '0150' } };
  expect(valueAt(properties, 'address.city')).toBe('Oslo');
  expect(withValue(properties, 'address.city', undefined)).toEqual({
    region: 'EMEA',
    address: { zip: '0150' },
  });
  expect(withValue(properties, 'region', null)).toEqual({ ...properties, region: null });
  expect(properties.address.city).toBe('Oslo');
});
