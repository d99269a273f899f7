import { userGroups, type UserGroupsOptions } from '../../../clients/cube/index.ts';
import type { CubeContext, CubeDriver, CubeRequest } from '../../../clients/cube/index.ts';
import type { Introspection } from '../../../clients/typescript/index.ts';

/** The error of Cube with a status. */
export class CubejsHandlerError extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

const ACTIVE = {
  active: true,
  sub: 'acme',
  team_id: 1,
  name: 'Acme',
  token_type: 'user_group_token',
  mapping: { sales: 'warehouse-acme' },
  properties: { region: 'EMEA', min_amount: 100 },
} as unknown as Introspection;

/** Introspection as a test wants it: its result, or the error that it rejects with. */
export class FakeIntrospector {
  result: Introspection | Error = ACTIVE;
  readonly asked: string[] = [];
  /** The errors of the next calls, before `result` counts again. */
  readonly failures: Error[] = [];

  introspect(token: string): Promise<Introspection> {
    this.asked.push(token);
    const outcome = this.failures.shift() ?? this.result;
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  }

  /** Changes members of the active result. */
  change(members: object): void {
    this.result = { ...ACTIVE, ...members };
  }
}

export const optionsWith = (
  introspector: FakeIntrospector,
  more: Partial<UserGroupsOptions> = {},
): UserGroupsOptions => ({
  introspector,
  schema: 'sales',
  audience: 'dashboards',
  dataSources: new Map<string | number, CubeDriver>([
    ['warehouse-acme', { type: 'postgres', database: 'acme' }],
    ['warehouse-globex', { type: 'postgres', database: 'globex' }],
  ]),
  declarations: { region: 'string', min_amount: 'integer' },
  filters: ({ region, min_amount }) => [
    { member: 'sale.region', operator: 'equals', values: [region] },
    { member: 'sale.amount', operator: 'gte', values: [min_amount] },
  ],
  CubejsHandlerError,
  ...more,
});

/** A Cube with this package, as far as a viewer meets it. */
export function renderer(more: Partial<UserGroupsOptions> = {}) {
  const introspector = new FakeIntrospector();
  const cube = userGroups(optionsWith(introspector, more));
  const headers: Record<string, string> = {};
  /** A request, or the beginning of a WebSocket. @returns the context of its queries */
  const enter = async (token?: string, isSocket = false): Promise<CubeContext> => {
    const set = (name: string, value: string) => (headers[name] = value);
    const request: CubeRequest = isSocket ? {} : { res: { set } };
    await cube.checkAuth(request, token);
    return { securityContext: request.securityContext };
  };
  return { introspector, cube, headers, enter };
}

/** The error of Cube that a call rejects with, or throws. */
export async function errorOf(call: () => unknown): Promise<CubejsHandlerError> {
  const error: unknown = await Promise.resolve()
    .then(call)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CubejsHandlerError);
  return error as CubejsHandlerError;
}

/** Keeps the log of the package: entries in a line each. */
export function listenToLog(): { text: () => string; entries: () => Record<string, unknown>[] } {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const text = () => write.mock.calls.map(([chunk]) => String(chunk)).join('');
  return {
    text,
    entries: () =>
      text()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
