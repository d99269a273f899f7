import { listenToLog, renderer } from './renderer.ts';

let log: ReturnType<typeof listenToLog>;

beforeEach(() => {
  log = listenToLog();
});

afterEach(() => {
  delete process.env['CUBEJS_LOG_LEVEL'];
  jest.restoreAllMocks();
});

const SECRET = /the-token|EMEA/;
/** Facts with which Cube calls a logger. */
const FACTS = {
  token: 'the-token',
  securityContext: { token: 'the-token' },
  query: { filters: [{ member: 'sale.region', values: ['EMEA'] }] },
  sqlQuery: { sql: ['SELECT $1', ['EMEA']] },
  queryKey: ['SELECT $1', ['EMEA']],
  values: ['EMEA'],
  params: ['EMEA'],
  url: '/cubejs-api/v1/load?query=EMEA',
  path: '/cubejs-api/v1/load?query=EMEA&token=the-token',
  newFactOfAnotherVersion: 'EMEA',
  duration: 7,
  status: 200,
};

test.each([
  ['error', { ...FACTS, error: 'error: invalid input syntax for type integer: "EMEA"' }],
  ['warn', { ...FACTS, warning: 'Query is slow' }],
  ['info', FACTS],
])('an entry of the level %s has neither a token nor a variable', (level, facts) => {
  process.env['CUBEJS_LOG_LEVEL'] = 'trace';
  const { cube } = renderer();
  cube.logger('Executing SQL', { ...facts, requestId: 'r-1.2_3' });
  expect(log.text()).not.toMatch(SECRET);
  const common = {
    level,
    message: 'Executing SQL',
    requestId: 'r-1.2_3',
    duration: 7,
    status: 200,
  };
  expect(log.entries()).toEqual([
    {
      ...common,
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      path: '/cubejs-api/v1/load',
      ...(level === 'warn' && { warning: 'Query is slow' }),
    },
  ]);
});

test('without a level there are errors and warnings alone', () => {
  const { cube } = renderer();
  cube.logger('Load Request', FACTS);
  cube.logger('Slow Query Warning', { warning: 'Query is slow' });
  cube.logger('Error while querying', { error: 'EMEA' });
  expect(log.entries().map(({ level }) => level)).toEqual(['warn', 'error']);
});

test.each(['two\nlines', 'a b', 'x'.repeat(200), '', 7, { a: 'EMEA' }])(
  'a request id that a viewer has made up is left out: %j',
  (requestId) => {
    const { cube } = renderer();
    cube.logger('Error while querying', { error: 'x', requestId });
    expect(log.entries()[0]).not.toHaveProperty('requestId');
  },
);

test('texts of errors are there if the host wants them', () => {
  const { cube } = renderer({ logErrorTexts: true });
  cube.logger('Error while querying', { ...FACTS, error: 'relation "sale" does not exist' });
  expect(log.entries()).toMatchObject([{ error: 'relation "sale" does not exist' }]);
  expect(log.text()).not.toMatch(SECRET);
});
