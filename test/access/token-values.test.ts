import { type Scope, scopes } from '../../src/platform/common/access/caller.ts';
import { type Answer, type ApiClient, NDJSON } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import {
  callOf,
  describeOperations,
  type DescribedOperation,
} from '../support/api/every-operation.ts';
import { withService } from '../support/test-service.ts';

const SHOWING = 'user-group-tokens:read' satisfies Scope;

/** Operations whose responses have only tokens that the call itself makes. */
const MAKING = [
  'POST /api/user',
  'POST /api/v1/user-groups/{id}/tokens/rotate',
  'POST /api/v1/user-groups/actions',
];

/** Needs the scope for the tokens, which a call can leave out. */
const EXPORT = 'POST /api/v1/user-groups/export';

/** Never ends. Its events are those of `GET /api/v1/events`. */
const STREAM = 'GET /api/v1/events/stream';

const nameOf = ({ method, path }: DescribedOperation) => `${method} ${path}`;

test('each operation that returns a user-group token needs the scope for it, unless it makes the token', async () => {
  const returning = (await describeOperations()).filter(({ answers }) => /\bugt_/.test(answers));
  const open = returning.filter(({ scopes: needed }) => !needed.includes(SHOWING)).map(nameOf);
  expect(open.sort()).toEqual([...MAKING, EXPORT].sort());
  const closed = returning.filter(({ scopes: needed }) => needed.includes(SHOWING)).map(nameOf);
  expect(closed.sort()).toEqual([
    'GET /api/user',
    'GET /api/v1/user-groups/{id}/tokens/current',
    'PUT /api/user',
  ]);
});

onEachDatabase((kind) => {
  const service = withService(kind);
  const showing: Record<string, string[]> = { reader: [], others: [], all: [] };
  const done: Record<string, string[]> = { reader: [], others: [], all: [] };

  /** Calls each operation in a workspace of its own; who may do most comes last. */
  beforeAll(async () => {
    for (const operation of await describeOperations()) {
      const name = nameOf(operation);
      if (name === STREAM) continue;
      const by = async (held: readonly Scope[]) =>
        service.clientOf(await service.issueToken([...held], name));
      const callers = {
        reader: await by(['user-groups:read']),
        others: await by(scopes.filter((scope) => scope !== SHOWING)),
        all: await by(scopes),
      };
      const tokens = await issueTokens(callers.all);
      for (const [caller, api] of Object.entries(callers)) {
        const answers: Answer[] = [];
        for (const call of callsOf(operation)) answers.push(await api.send(call));
        if (answers.some(({ status }) => status < 300)) done[caller]!.push(name);
        const isShown = tokens.some((token) => answers.some(({ text }) => text.includes(token)));
        if (isShown) showing[caller]!.push(name);
      }
    }
  });

  test('operations show tokens that exist to a caller with every scope', () => {
    expect(showing['all']!.sort()).toEqual([
      'GET /api/user',
      'GET /api/v1/user-groups/{id}/tokens/current',
      EXPORT,
      'PUT /api/user',
    ]);
  });

  test('no operation shows one to a caller with every other scope', () => {
    expect(showing['others']).toEqual([]);
    expect(done['others']!.length).toBeGreaterThan(30);
  });

  test('no operation shows one to a caller that can only list and read groups', () => {
    expect(showing['reader']).toEqual([]);
    expect(done['reader']).toEqual(
      expect.arrayContaining([
        'GET /api/v1/user-groups',
        'GET /api/v1/user-groups/{id}',
        'GET /api/v1/user-groups/{id}/tokens',
        'GET /api/v1/user-groups/{id}/view',
      ]),
    );
  });

  test('a caller that may write shows itself no token by a write that changes nothing', async () => {
    const { id, token } = await service.api.create();
    const writer = service.clientOf(
      await service.issueToken(['user-groups:read', 'user-groups:write', 'tokens:rotate']),
    );
    for (const call of [writer.put({ user_group_id: id }), writer.get({ user_group_id: id })]) {
      const { status, body, text } = await call;
      expect([status, body.code]).toEqual([403, 'insufficient_scope']);
      expect(body.detail).toContain(`"${SHOWING}"`);
      expect(text).not.toContain(token);
    }
  });
});

/** The tokens of two groups, which have the ids of the examples: current ones, and ones in their grace period. */
async function issueTokens(api: ApiClient): Promise<string[]> {
  const tokens: string[] = [];
  for (const id of ['1', 'acme-emea']) {
    const group = { user_group_id: id, name: id, properties: { region: 'EMEA' } };
    const { token } = (await api.put(group)).body.user_group;
    tokens.push(token, await api.rotate(token, 600));
  }
  return tokens;
}

/** The call of the examples, and one that is as short as it may be. */
function callsOf(operation: DescribedOperation) {
  const call = callOf(operation);
  if (operation.path.endsWith('/import')) {
    return [{ ...call, headers: NDJSON, body: '{"provided_id":"1","name":"1"}' }];
  }
  return operation.mediaType === 'application/json' ? [call, { ...call, body: {} }] : [call];
}
