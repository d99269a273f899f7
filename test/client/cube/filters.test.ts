import type { UserGroupsOptions } from '../../../clients/cube/index.ts';
import { errorOf, listenToLog, renderer } from './renderer.ts';

let log: ReturnType<typeof listenToLog>;

beforeEach(() => {
  log = listenToLog();
});

afterEach(() => {
  jest.restoreAllMocks();
});

const rewritten = async (filters: unknown, properties: object = {}) => {
  const { cube, introspector, enter } = renderer({
    filters: (typeof filters === 'function' ? filters : () => filters) as NonNullable<
      UserGroupsOptions['filters']
    >,
  });
  introspector.change({ properties: { region: 'EMEA', min_amount: 100, ...properties } });
  const context = await enter('the-token');
  return cube.queryRewrite({ filters: [] }, context);
};

const on = (values: unknown, operator: unknown = 'equals') => [
  { member: 'sale.region', operator, values },
];
const AT_LEAST_ONE = 'filters has to return at least one filter';

test.each<[string, unknown, string]>([
  ['nothing', undefined, AT_LEAST_ONE],
  ['null', null, AT_LEAST_ONE],
  ['an empty list', [], AT_LEAST_ONE],
  ['an object', { member: 'sale.region' }, AT_LEAST_ONE],
  [
    'a promise',
    Promise.resolve(on(['EMEA'])),
    'filters has to return a list, and has returned a promise',
  ],
  ['a list with a hole', [,], 'a filter is no object'], // eslint-disable-line no-sparse-arrays
  ['a text', ['sale.region'], 'a filter is no object'],
  ['a filter without a member', [{ operator: 'equals', values: ['x'] }], 'a filter has no member'],
  [
    'a filter without an operator',
    [{ member: 'sale.region', values: ['x'] }],
    'the filter on sale.region has no operator',
  ],
  [
    'a filter without values',
    [{ member: 'sale.region', operator: 'equals' }],
    'the filter on sale.region has to have member, operator and values alone',
  ],
  ['a filter with no value', on([]), 'the filter on sale.region has no values'],
  ['a filter with a text for values', on('EMEA'), 'the filter on sale.region has no values'],
  ['a filter with undefined', on([undefined]), 'a value of the filter on sale.region is missing'],
  ['a filter with null', on(['EMEA', null]), 'a value of the filter on sale.region is missing'],
  ['a filter with a hole', on(new Array(1)), 'a value of the filter on sale.region is missing'],
  ['a filter with a list', on([['EMEA']]), 'a value of the filter on sale.region is missing'],
  [
    'a filter with an object',
    on([{ toString: () => 'EMEA' }]),
    'a value of the filter on sale.region is missing',
  ],
  ['a filter with no number', on([Number.NaN]), 'a value of the filter on sale.region is missing'],
  [
    'a filter with infinity',
    on([Infinity], 'lt'),
    'a value of the filter on sale.region is missing',
  ],
  [
    'a filter on parts of texts',
    on([''], 'contains'),
    'the filter on sale.region has the operator contains',
  ],
  [
    'a filter by a pattern',
    on(['%'], 'startsWith'),
    'the filter on sale.region has the operator startsWith',
  ],
  [
    'a filter with an unknown operator',
    on(['x'], 'is'),
    'the filter on sale.region has the operator is',
  ],
  [
    'a filter with an inherited operator',
    on(['x'], '__proto__'),
    'the filter on sale.region has the operator __proto__',
  ],
  [
    'a filter with a second meaning',
    [{ ...on(['x'])[0], or: [] }],
    'the filter on sale.region has to have member, operator and values alone',
  ],
  ['a choice without alternatives', [{ or: [] }], 'the list of or is empty'],
  [
    'a choice with a faulty alternative',
    [{ or: [...on(['x']), ...on([null])] }],
    'a value of the filter on sale.region is missing',
  ],
  ['both choices', [{ or: on(['x']), and: on(['y']) }], 'a filter has no member'],
  ['a group without members', [{ and: {} }], 'the list of and is empty'],
])('filters that return %s refuse the query', async (_name, filters, reason) => {
  const error = await errorOf(() => rewritten(filters));
  expect(error).toMatchObject({ status: 500, type: 'filters_unusable' });
  // The viewer learns nothing of the configuration.
  expect(error.message).toBe('This dashboard cannot be shown just now.');
  expect(log.entries()).toMatchObject([{ level: 'error', code: 'filters_unusable', reason }]);
});

test('filters that throw refuse the query, and the log has the place without the text', async () => {
  const throwing = ({ region }: { region: string }) => {
    throw new RangeError(`no region\n    at ${region}`);
  };
  expect(await errorOf(() => rewritten(throwing))).toMatchObject({ status: 500 });
  const [entry] = log.entries();
  expect(entry!['reason']).toMatch(/^filters: RangeError at .*filters\.test\.ts/);
  expect(log.text()).not.toContain('EMEA');
});

test('filters that throw no error refuse the query', async () => {
  const throwing = () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- a host can
    throw 'EMEA';
  };
  expect(await errorOf(() => rewritten(throwing))).toMatchObject({ status: 500 });
  expect(log.text()).not.toContain('EMEA');
});

test('a variable that is not declared is missing, whatever the group has', async () => {
  const filters = ({ tenant }: { tenant?: string }) => on([tenant]);
  await errorOf(() => rewritten(filters, { tenant: 'x' }));
  expect(log.entries()[0]!['reason']).toBe('a value of the filter on sale.region is missing');
});

test.each([
  '',
  "'",
  '%',
  '_',
  '\\',
  '{',
  'null',
  'undefined',
  '$1',
  '{{region}}',
  '\ud83d\ude00',
  'x'.repeat(4096),
])('a text is a value as it is: %j', async (region) => {
  const filters = (variables: { region: string }) => on([variables.region]);
  await expect(rewritten(filters, { region })).resolves.toEqual({ filters: on([region]) });
});

test('numbers and booleans are values, and filters can be nested', async () => {
  const wanted = [
    {
      or: [
        { and: [...on([7, -0.5, 10n, true, 'x'], 'notEquals')] },
        { member: 'sale.id', operator: 'notSet' },
      ],
    },
    { member: 'sale.at', operator: 'inDateRange', values: ['2030-01-01', '2030-01-31'] },
  ];
  await expect(rewritten(wanted)).resolves.toEqual({
    filters: [
      {
        or: [
          { and: on(['7', '-0.5', '10', 'true', 'x'], 'notEquals') },
          { member: 'sale.id', operator: 'notSet' },
        ],
      },
      wanted[1],
    ],
  });
});
