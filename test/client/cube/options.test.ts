import { userGroups, type UserGroupsOptions } from '../../../clients/cube/index.ts';
import { FakeIntrospector, optionsWith } from './renderer.ts';

const made = (more: object) => () => userGroups(optionsWith(new FakeIntrospector(), more));

class WithoutStatus extends Error {}

test.each<[string, object]>([
  ['introspector', { introspector: undefined }],
  ['introspector', { introspector: {} }],
  ['introspector', { introspector: { introspect: 'x' } }],
  ['schema', { schema: undefined }],
  ['schema', { schema: '' }],
  ['audience', { audience: undefined }],
  ['audience', { audience: '' }],
  ['audience', { audience: ['dashboards'] }],
  ['origin', { origin: '' }],
  ['origin', { origin: null }],
  ['resource', { resource: { type: 'dashboard' } }],
  ['resource', { resource: 'sales' }],
  ['dataSources', { dataSources: undefined }],
  ['dataSources', { dataSources: new Map() }],
  ['dataSources', { dataSources: { 'warehouse-acme': { type: 'postgres' } } }],
  ['dataSources', { dataSources: new Map([['warehouse-acme', {}]]) }],
  ['dataSources', { dataSources: new Map([['warehouse-acme', 'postgres']]) }],
  ['dataSources', { dataSources: new Map([['', { type: 'postgres' }]]) }],
  ['dataSources', { dataSources: new Map([[Number.NaN, { type: 'postgres' }]]) }],
  ['declarations', { declarations: { region: 'text' } }],
  ['declarations', { declarations: { region: 'string', seats: undefined } }],
  ['declarations', { declarations: ['region'] }],
  ['filters', { filters: undefined }],
  ['filters', { filters: [{ member: 'sale.region', operator: 'equals', values: ['EMEA'] }] }],
  ['filters', { unfiltered: true }],
  ['unfiltered', { unfiltered: false }],
  ['CubejsHandlerError', { CubejsHandlerError: undefined }],
  ['CubejsHandlerError', { CubejsHandlerError: Error }],
  ['CubejsHandlerError', { CubejsHandlerError: WithoutStatus }],
  ['CubejsHandlerError', { CubejsHandlerError: () => new Error('text') }],
  ['logErrorTexts', { logErrorTexts: 'yes' }],
  ['filter', { filter: () => [] }],
  ['queryRewrite', { queryRewrite: () => undefined }],
])('a wrong %s is named at the start: %j', (name, more) => {
  expect(made(more)).toThrow(TypeError);
  expect(made(more)).toThrow(new RegExp(`^(${name} has to be|userGroups has no option ${name}$)`));
});

test.each([undefined, null, 'x', []])('options are an object: %j', (options) => {
  expect(() => userGroups(options as unknown as UserGroupsOptions)).toThrow(
    'userGroups needs options',
  );
});

test('declarations may be left out, and an option may be undefined', () => {
  expect(made({ declarations: undefined, origin: undefined, resource: undefined })).not.toThrow();
  expect(made({ filters: undefined, unfiltered: true })).not.toThrow();
  expect(made({ resource: { type: 'dashboard', id: 'sales' } })).not.toThrow();
});

test('a log that Cube sends away by itself, with the tokens of viewers, is refused', () => {
  process.env['CUBEJS_AGENT_ENDPOINT_URL'] = 'https://collector.example.com';
  try {
    expect(made({})).toThrow('CUBEJS_AGENT_ENDPOINT_URL');
  } finally {
    delete process.env['CUBEJS_AGENT_ENDPOINT_URL'];
  }
});
