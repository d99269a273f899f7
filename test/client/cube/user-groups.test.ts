import type { CubeDriver } from '../../../clients/cube/index.ts';
import { ApiError, type Introspection } from '../../../clients/typescript/index.ts';
import { errorOf, listenToLog, renderer } from './renderer.ts';

let log: ReturnType<typeof listenToLog>;

beforeEach(() => {
  log = listenToLog();
});

afterEach(() => {
  jest.restoreAllMocks();
});

const QUERY = {
  dimensions: ['sale.product'],
  filters: [{ member: 'sale.product', operator: 'set' }],
};

test('a query gets the filters of the group behind its own', async () => {
  const { cube, enter } = renderer();
  const context = await enter('the-token');
  await expect(cube.queryRewrite(QUERY, context)).resolves.toEqual({
    dimensions: ['sale.product'],
    filters: [
      { member: 'sale.product', operator: 'set' },
      { member: 'sale.region', operator: 'equals', values: ['EMEA'] },
      { member: 'sale.amount', operator: 'gte', values: ['100'] },
    ],
  });
  await expect(cube.queryRewrite({}, context)).resolves.toMatchObject({
    filters: [{ member: 'sale.region' }, { member: 'sale.amount' }],
  });
  expect(log.text()).toBe('');
});

test('filters can be made of the viewer', async () => {
  const filters = jest.fn(() => [{ member: 'sale.owner', operator: 'equals', values: ['u-17'] }]);
  const { cube, introspector, enter } = renderer({ filters });
  const embed = { token_type: 'embed_token', aud: 'dashboards', user_id: 'u-17' };
  introspector.change({ ...embed, exp: 4_102_444_800 });
  await cube.queryRewrite({}, await enter('eyJ'));
  const viewer = { groupId: 'acme', teamId: 1, userId: 'u-17', dataSource: 'warehouse-acme' };
  expect(filters).toHaveBeenCalledWith(
    { region: 'EMEA', min_amount: 100 },
    expect.objectContaining(viewer),
  );
});

test('a query without filters of the host needs the word of the host', async () => {
  const { cube, enter } = renderer({ filters: undefined, unfiltered: true } as object);
  await expect(cube.queryRewrite(QUERY, await enter('the-token'))).resolves.toEqual(QUERY);
});

test('neither Cube nor a model gets anything but the data source', async () => {
  const { enter } = renderer();
  const { securityContext } = await enter('the-token');
  expect(securityContext).toEqual({ dataSource: 'warehouse-acme' });
  const { inspect } = await import('node:util');
  expect(inspect(securityContext, { showHidden: true })).not.toMatch(/the-token|EMEA/);
});

describe('the data source', () => {
  test('has its model, its connections and its tables for all groups together', async () => {
    const { cube, introspector, enter } = renderer();
    const first = await enter('one');
    introspector.change({ sub: 'second', team_id: 2, properties: { region: 'x', min_amount: 1 } });
    const second = await enter('two');
    introspector.change({ mapping: { sales: 'warehouse-globex' } });
    const other = await enter('three');
    for (const id of [
      'contextToAppId',
      'contextToOrchestratorId',
      'preAggregationsSchema',
    ] as const) {
      expect(cube[id](second)).toBe(cube[id](first));
      expect(cube[id](other)).not.toBe(cube[id](first));
      // A name of a schema in any database.
      expect(cube[id](first)).toMatch(/^[a-z\d_]{32,63}$/);
    }
    expect(cube.driverFactory(first)).toEqual({ type: 'postgres', database: 'acme' });
    expect(cube.driverFactory(other)).toEqual({ type: 'postgres', database: 'globex' });
  });

  test('has another name for 7 and "7"', async () => {
    const dataSources = new Map<string | number, CubeDriver>([
      [7, { type: 'postgres', database: 'number' }],
      ['7', { type: 'postgres', database: 'text' }],
    ]);
    const { cube, introspector, enter } = renderer({ dataSources });
    introspector.change({ mapping: { sales: 7 } });
    const number = await enter('one');
    introspector.change({ mapping: { sales: '7' } });
    const text = await enter('two');
    expect(cube.contextToOrchestratorId(number)).not.toBe(cube.contextToOrchestratorId(text));
    expect(cube.driverFactory(number)).toEqual({ type: 'postgres', database: 'number' });
  });

  test('is refreshed for itself, without a list of groups', async () => {
    const { cube } = renderer();
    const contexts = await cube.scheduledRefreshContexts();
    expect(contexts.map((context) => cube.driverFactory(context))).toEqual([
      { type: 'postgres', database: 'acme' },
      { type: 'postgres', database: 'globex' },
    ]);
    // A refresh has no viewer: it makes tables, and shows no rows.
    const error = await errorOf(() => cube.queryRewrite({}, contexts[0]!));
    expect(error).toMatchObject({ status: 403, type: 'no_viewer' });
  });

  test('is never another one that a model names', async () => {
    const { cube, enter } = renderer();
    const context = await enter('the-token');
    expect(cube.driverFactory({ ...context, dataSource: 'default' })).toMatchObject({});
    const error = await errorOf(() => cube.driverFactory({ ...context, dataSource: 'shared' }));
    expect(error).toMatchObject({ status: 500, type: 'data_source_named' });
  });

  test.each([
    undefined,
    null,
    'warehouse-acme',
    {},
    { dataSource: undefined },
    { dataSource: 'another' },
    { dataSource: ['warehouse-acme'] },
    { dataSource: { toString: (): string => 'warehouse-acme' } },
  ])('is not that of a context of others: %j', async (securityContext) => {
    const { cube } = renderer();
    const uses = [cube.contextToAppId, cube.contextToOrchestratorId, cube.driverFactory];
    for (const use of [...uses, cube.preAggregationsSchema]) {
      expect(await errorOf(() => use({ securityContext }))).toMatchObject({
        status: 403,
      });
    }
  });
});

describe('a viewer', () => {
  const cases: [string, object | Error, object][] = [
    ['whose token has ended', { active: false }, { status: 401, type: 'token_refused' }],
    [
      'of another audience',
      { token_type: 'embed_token', aud: 'x' },
      { status: 403, type: 'audience_differs' },
    ],
    [
      'of a page of a site',
      { token_type: 'embed_token', aud: 'dashboards', origin: 'https://app.example.com' },
      { status: 403, type: 'origin_differs' },
    ],
    [
      'of a dashboard alone',
      { token_type: 'embed_token', aud: 'dashboards', resources: [{ type: 'dashboard', id: '1' }] },
      { status: 403, type: 'resource_differs' },
    ],
    ['without a data source', { mapping: {} }, { status: 422, type: 'data_source_unknown' }],
    [
      'of an unknown data source',
      { mapping: { sales: 'x' } },
      { status: 422, type: 'data_source_unknown' },
    ],
    [
      'without a variable',
      { properties: { region: 'EMEA' } },
      { status: 422, type: 'variable_unusable' },
    ],
    [
      'with a variable of another type',
      { properties: { region: ['EMEA'], min_amount: 1 } },
      { status: 422, type: 'variable_unusable' },
    ],
    ['while the service refuses', new ApiError(503, 'busy', { retryAfter: 7 }), { status: 503 }],
    [
      'while something else is wrong',
      new RangeError('the-token EMEA'),
      { status: 500, type: 'error' },
    ],
  ];

  test.each(cases)('%s is refused at the door', async (_name, result, expected) => {
    const { introspector, enter } = renderer();
    introspector.result =
      result instanceof Error
        ? result
        : ({ ...(introspector.result as object), ...result } as Introspection);
    const error = await errorOf(() => enter('the-token'));
    expect(error).toMatchObject(expected);
    expect(`${error.message}${log.text()}`).not.toMatch(/the-token|EMEA/);
    // The reason is in the log, and not in the response.
    const [{ reason, ...entry } = { reason: '' }] = log.entries();
    expect(entry).toMatchObject({
      message: 'A viewer is refused',
      status: error.status,
      code: error.type,
    });
    expect(error.message).not.toContain(reason);
  });

  test.each(cases)(
    '%s is refused at the next query, also of an open WebSocket',
    async (_name, result, expected) => {
      const { cube, introspector, enter } = renderer();
      const contexts = [await enter('the-token'), await enter('the-token', true)];
      introspector.result =
        result instanceof Error
          ? result
          : ({ ...(introspector.result as object), ...result } as Introspection);
      for (const context of contexts) {
        expect(await errorOf(() => cube.queryRewrite(QUERY, context))).toMatchObject(expected);
      }
    },
  );

  test('whose group has another data source since is refused, and not shown its rows', async () => {
    const { cube, introspector, enter } = renderer();
    const context = await enter('the-token', true);
    introspector.change({ mapping: { sales: 'warehouse-globex' } });
    const error = await errorOf(() => cube.queryRewrite(QUERY, context));
    expect(error).toMatchObject({ status: 403, type: 'data_source_changed' });
  });

  test('whose variables have changed gets the new filters', async () => {
    const { cube, introspector, enter } = renderer();
    const context = await enter('the-token', true);
    introspector.change({ properties: { region: 'APAC', min_amount: 0 } });
    await expect(cube.queryRewrite({}, context)).resolves.toMatchObject({
      filters: [{ values: ['APAC'] }, { values: ['0'] }],
    });
  });

  test.each([undefined, ''])('without a token is not introspected: %p', async (token) => {
    const { introspector, enter } = renderer();
    expect(await errorOf(() => enter(token))).toMatchObject({ status: 400, type: 'token_missing' });
    expect(introspector.asked).toEqual([]);
  });

  test('of a context that Cube has copied is refused, as those of its SQL API are', async () => {
    const { cube, enter } = renderer();
    const { securityContext } = await enter('the-token');
    const copy = { securityContext: structuredClone(securityContext) };
    expect(await errorOf(() => cube.queryRewrite(QUERY, copy))).toMatchObject({
      status: 403,
      type: 'no_viewer',
    });
  });

  test.each([undefined, null, 'x', 7])('of the context %p is refused', async (securityContext) => {
    const { cube } = renderer();
    const error = await errorOf(() => cube.queryRewrite(QUERY, { securityContext }));
    expect(error).toMatchObject({ status: 403, type: 'no_viewer' });
  });
});

describe('an introspection without a response', () => {
  const lost = () => new ApiError(undefined, 'no response within a second');

  test('is retried once', async () => {
    const { cube, introspector, enter } = renderer();
    introspector.failures.push(lost());
    const context = await enter('the-token');
    introspector.failures.push(lost());
    await expect(cube.queryRewrite({}, context)).resolves.toHaveProperty('filters');
    expect(introspector.asked.length).toBe(4);
  });

  test('is not retried twice', async () => {
    const { introspector, enter } = renderer();
    introspector.failures.push(lost(), lost());
    expect(await errorOf(() => enter('the-token'))).toMatchObject({ status: 503 });
    expect(introspector.asked.length).toBe(2);
  });

  test('with a response of the service it is not retried', async () => {
    const { introspector, headers, enter } = renderer();
    introspector.failures.push(new ApiError(429, 'too many', { retryAfter: 3 }));
    expect(await errorOf(() => enter('the-token'))).toMatchObject({ status: 503 });
    expect(introspector.asked.length).toBe(1);
    expect(headers['Retry-After']).toBe('3');
  });
});

test('no response may be kept, and a viewer who acts for a group is named', async () => {
  const { introspector, headers, cube, enter } = renderer();
  introspector.change({ active: false });
  await errorOf(() => enter('the-token'));
  expect(headers).toEqual({ 'Cache-Control': 'no-store' });
  introspector.change({ act: { sub: 'kim ü\r\nX: y\ud800' } });
  await enter('the-token');
  expect(headers).toEqual({
    'Cache-Control': 'no-store',
    'X-Acting': 'kim%20%C3%BC%0D%0AX%3A%20y%EF%BF%BD',
  });
  // Otherwise a page of another origin could not read it.
  expect(cube.http.cors.exposedHeaders).toBe('X-Acting');
});

test.each(['', 'true'])('nobody gets the SQL of the model: extended=%j', async (extended) => {
  const { cube } = renderer();
  expect(await errorOf(() => cube.checkAuth({ query: { extended } }, 'the-token'))).toMatchObject({
    status: 403,
    type: 'extended',
  });
});

test('a viewer may query and see the model, and no statements', async () => {
  const { cube } = renderer();
  await expect(cube.contextToApiScopes()).resolves.toEqual(['graphql', 'meta', 'data']);
});

test.each([
  { subqueryJoins: [{ sql: 'SELECT 1', on: 'true', joinType: 'LEFT', alias: 'x' }] },
  { subqueryJoins: 'x' },
  { subqueryJoins: null },
  { measures: [{ expression: ['return `1`'], cubeName: 'sale', name: 'x' }] },
  { dimensions: ['sale.product', { expression: () => '1', cubeName: 'sale', name: 'x' }] },
  { segments: ['{"cubeName":"sale","alias":"x"}'] },
  { segments: [' {"cubeName":"sale","alias":"x"}'] },
  { dimensions: null },
  { measures: { length: 0 } },
])('a query with SQL or code is refused: %j', async (query) => {
  const { cube, enter } = renderer();
  const context = await enter('the-token');
  expect(
    await errorOf(() => cube.queryRewrite(query as object as Record<string, unknown>, context)),
  ).toMatchObject({ status: 403, type: 'expression' });
});
