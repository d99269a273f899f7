import { ApiError, Refusal, viewerOf, type ViewerOptions } from '../../clients/typescript/index.ts';
import type { Introspection } from '../../clients/typescript/index.ts';
import shared from '../../clients/python/tests/viewers.json' with { type: 'json' };

// The Python client runs the same cases in clients/python/tests/test_viewer.py.

interface Case {
  name: string;
  introspection: object;
  options: { data_sources?: (string | number)[] };
  viewer?: object;
  refusal?: object;
}

const { audience } = shared;
const cases: Case[] = shared.cases;

const introspecting = (introspection: object) => ({
  introspect: () => Promise.resolve(introspection as Introspection),
});

/** The options of a case, which has the names of the Python client. */
function optionsOf({ introspection, options }: Case) {
  const { data_sources: ids, ...others } = options;
  return {
    introspector: introspecting(introspection),
    audience,
    ...others,
    ...(ids && { dataSources: new Map(ids.map((id) => [id, id])) }),
  } as ViewerOptions<string | number>;
}

const NOTHING = { userId: undefined, actor: undefined, dataSource: undefined, variables: {} };

/** Names as the TypeScript client has them. */
const inCamelCase = (viewer: object) =>
  Object.fromEntries(
    Object.entries(viewer).map(([name, value]) => [
      name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]),
  );

const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  return error as Refusal;
};

test.each(cases)('$name', async (one) => {
  const call = viewerOf('a-token', optionsOf(one));
  if (one.viewer) {
    const expected = { ...NOTHING, expiresAt: undefined, ...inCamelCase(one.viewer) };
    await expect(call).resolves.toEqual(expected);
    return;
  }
  const refusal = await refusalOf(call);
  expect(refusal).toMatchObject(one.refusal!);
  // The reason is for the log alone.
  expect((refusal.cause as Error).message).not.toBe('');
  expect(refusal.message).not.toContain((refusal.cause as Error).message);
});

test.each([undefined, null, '', 7, {}, ['a-token'], Buffer.from('a-token')])(
  'what is no token is not introspected: %p',
  async (token) => {
    const introspect = jest.fn();
    const refusal = await refusalOf(viewerOf(token, { introspector: { introspect }, audience }));
    expect(refusal).toMatchObject({ status: 400, code: 'token_missing' });
    expect(introspect).not.toHaveBeenCalled();
  },
);

test.each(['the token', 'the-token\0', '\ud800', 'token\n', 'tökén'])(
  'a text that can be no token is not introspected: %j',
  async (token) => {
    const introspect = jest.fn();
    const refusal = await refusalOf(viewerOf(token, { introspector: { introspect }, audience }));
    expect(refusal).toMatchObject({ status: 401, code: 'token_refused' });
    expect(introspect).not.toHaveBeenCalled();
  },
);

test.each([413, 422])(
  'a text that the service does not take for a token is refused, %p',
  async (status) => {
    const cause = new ApiError(status, 'no token');
    const introspector = { introspect: () => Promise.reject(cause) };
    const refusal = await refusalOf(viewerOf('a-token', { introspector, audience }));
    expect(refusal).toMatchObject({ status: 401, code: 'token_refused', cause });
  },
);

test.each([
  [undefined, undefined],
  [429, 7],
  [401, undefined],
  [503, 1],
])('without a result of the service nobody is shown anything, %p', async (status, retryAfter) => {
  const cause = new ApiError(status, 'no result', { retryAfter });
  const introspector = { introspect: () => Promise.reject(cause) };
  const refusal = await refusalOf(viewerOf('a-token', { introspector, audience }));
  expect(refusal).toMatchObject({ status: 503, code: 'service_unavailable', cause, retryAfter });
});

test('an error that is none of the service is thrown as it is', async () => {
  const introspector = { introspect: () => Promise.reject(new RangeError('mine')) };
  await expect(viewerOf('a-token', { introspector, audience })).rejects.toThrow(RangeError);
});

test('options that are wrong are no refusal', async () => {
  const introspector = introspecting(cases[0]!.introspection);
  const call = (more: object) => viewerOf('a-token', { introspector, audience, ...more });
  await expect(call({ schema: 'sales' })).rejects.toThrow(TypeError);
  await expect(call({ dataSources: new Map() })).rejects.toThrow(TypeError);
  await expect(call({ declarations: { region: 'text' } })).rejects.toThrow(TypeError);
});

test('a variable with the name of a prototype is a member like any other', async () => {
  const properties = JSON.parse('{"__proto__": {"a": "x"}}') as object;
  const introspector = introspecting({ ...cases[0]!.introspection, properties });
  const declarations = { '__proto__.a': 'string' } as const;
  const { variables } = await viewerOf('a-token', { introspector, audience, declarations });
  expect(Object.getPrototypeOf(variables)).toBe(Object.prototype);
  expect(JSON.stringify(variables)).toBe('{"__proto__":{"a":"x"}}');
});

test('a refusal shows no token and no value', async () => {
  const secret = 'hidden-value';
  const introspection = { ...cases[0]!.introspection, properties: { region: [secret] } };
  const declarations = { region: 'string' } as const;
  const refusal = await refusalOf(
    viewerOf('the-token', { introspector: introspecting(introspection), audience, declarations }),
  );
  const { inspect } = await import('node:util');
  expect(inspect(refusal)).not.toMatch(/the-token|hidden-value/);
});
