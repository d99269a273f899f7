import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { scopes } from '../../src/platform/common/access/caller.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { type Answer, type ApiClient, NDJSON } from '../support/api/api-client.ts';
import { keepCachesCurrent } from '../support/database/database-traffic.ts';
import { onEachDatabase, onPostgres } from '../support/database/databases.ts';
import { callOf, describeOperations } from '../support/api/every-operation.ts';
import { untilPolled } from '../support/api/polls.ts';
import { IMPORT, toLines } from '../support/api/lines.ts';
import { type TestService, withService } from '../support/test-service.ts';
import { soon, until } from '../support/time/until.ts';

/** The operations whose statements all go through lanes. */
const IN_LANES = new Set([
  'GET /api/user',
  'PUT /api/user',
  'POST /api/user',
  'GET /api/v1/user-groups/{id}',
  'PUT /api/v1/user-groups/{id}',
  'PATCH /api/v1/user-groups/{id}',
  'POST /api/v1/user-groups/{id}/suspend',
  'POST /api/v1/user-groups/{id}/resume',
  'GET /api/v1/user-groups/{id}/tokens/current',
  'POST /api/v1/user-groups/{id}/tokens/rotate',
  'POST /api/v1/user-groups/{id}/embed-tokens',
  'POST /api/v1/user-groups/import',
  'POST /api/v1/introspect',
]);
/** Two, and one for what ends access. */
const TURNS = 3;
/** Transactions and statements of all lanes together. */
const LANES = 17;
/** Authentication, what is counted and noted in the background, each once for all calls. */
const BESIDE = 5;

/** The table that the change feed reads: while it is locked, no API token is taken from the cache. */
const FEED = 'change_event';

afterEach(() => jest.restoreAllMocks());

onPostgres('while tables are locked, one workspace takes few connections', () => {
  const service = withService('postgres');

  const callMany = async (isCalled: (operation: string) => boolean, tables: string[]) => {
    const operations = (await describeOperations()).filter(({ method, path }) =>
      isCalled(`${method} ${path}`),
    );
    const api = service.clientOf(await service.issueToken([...scopes], operations[0]!.path));
    const { wanted, answers } = await whileLocked(service, api, {
      tables,
      begin: () =>
        operations.flatMap((operation) =>
          Array.from({ length: 10 }, () => api.send(callOf(operation))),
        ),
    });
    expect(wanted).toBeGreaterThan(1);
    expect(answers.map(({ status }) => status)).not.toContain(500);
    return wanted;
  };
  const allButFeed = async () => {
    const tables = await service.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    return tables.map(({ name }) => name).filter((name) => name !== FEED);
  };

  test('by all operations outside of the lanes at once, each ten times', async () => {
    const wanted = await callMany((operation) => !IN_LANES.has(operation), await allButFeed());
    expect(wanted).toBeLessThanOrEqual(TURNS + BESIDE);
  });

  test('by all operations within the lanes at once, each ten times', async () => {
    const wanted = await callMany((operation) => IN_LANES.has(operation), await allButFeed());
    expect(wanted).toBeLessThanOrEqual(LANES + BESIDE);
  });

  test('by twenty dry runs of an import', async () => {
    const api = service.clientOf(await service.issueToken([...scopes], 'dry-runs'));
    const { wanted, answers } = await whileLocked(service, api, {
      tables: ['user_group'],
      begin: () =>
        Array.from({ length: 20 }, () =>
          api.call(
            'POST',
            `${IMPORT}?dry_run=true`,
            toLines({ provided_id: 'acme', name: 'Acme' }),
            NDJSON,
          ),
        ),
    });
    expect(wanted).toBeLessThanOrEqual(TURNS + BESIDE);
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([200, expect.stringContaining('"created":1')]);
    }
  });

  test('by what reads the events, each ten times', async () => {
    const wanted = await callMany((operation) => operation.includes('/events'), [FEED]);
    expect(wanted).toBeLessThanOrEqual(TURNS + BESIDE);
  });
});

onPostgres('while one workspace has 400 calls under way', () => {
  const service = withService('postgres');

  test('its own look-ups and writes go on, and nothing is refused to another', async () => {
    const own = service.clientOf(await service.issueToken([...scopes], 'own'));
    const other = service.clientOf(await service.issueToken([...scopes], 'other'));
    const { id: user_group_id } = await own.create();
    const { wanted, answers } = await whileLocked(service, own, {
      tables: ['webhook_endpoint'],
      begin: () => Array.from({ length: 400 }, () => own.call('GET', '/api/v1/webhook-endpoints')),
      meanwhile: async () => {
        const calls = [
          await own.get({ user_group_id }),
          await own.put({ user_group_id, name: 'renamed' }),
          await other.put({ user_group_id, name: 'its own' }),
          await other.call('GET', '/api/v1/user-groups'),
          await other.call('GET', '/api/v1/audit-events'),
        ];
        expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      },
    });
    expect(wanted).toBeLessThanOrEqual(TURNS + BESIDE);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, headers } of refused) {
      expect([429, 503]).toContain(status);
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
  });
});

onEachDatabase((kind) => {
  const service = withService(kind);

  test('a body that arrives slowly keeps nobody waiting', async () => {
    const token = await service.issueToken([...scopes], 'slow');
    const arrived = countRequests(service);
    const slow = Array.from({ length: 5 }, () => postSchema(service, token, 'slow', 5));
    await until(() => arrived() === slow.length);
    const api = service.clientOf(token);
    expect(await countSchemas(api)).toBe(0);
    for (const socket of slow) socket.end(' '.repeat(5));
    const registered = async () => Array<object>(await countSchemas(api));
    expect(await soon(registered)).toHaveLength(1);
  });
});

interface Locked {
  tables: readonly string[];
  begin: () => Promise<Answer>[];
  meanwhile?: () => Promise<void>;
}

/** Counts the requests whose fields arrive from now on. */
function countRequests({ app }: TestService): () => number {
  let count = 0;
  app.getHttpServer().on('request', () => count++);
  return () => count;
}

/** The sessions of the database that neither wait for a lock nor for their client. */
const RUNNING = `
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'
    AND wait_event_type IS DISTINCT FROM 'Lock'`;

/**
 * Makes calls while tables are locked, until nothing goes on any more.
 * @returns the number of connections that are wanted at once, and the responses after the lock is gone
 */
async function whileLocked(
  service: TestService,
  api: ApiClient,
  { tables, begin, meanwhile }: Locked,
): Promise<{ wanted: number; answers: Answer[] }> {
  // Else one call that reads an API token again waits for a locked table, and all others wait for that call.
  if (!tables.includes(FEED)) keepCachesCurrent();
  const pool = service.app.get(Statements);
  const holder = new Client({ connectionString: service.database.env['DATABASE_URL'] });
  await holder.connect();
  try {
    await countSchemas(api);
    // A token that was issued just now is cached once that is told.
    await untilPolled(service);
    await countSchemas(api);
    await holder.query(`BEGIN; LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    const arrived = countRequests(service);
    const calls = begin();
    await until(() => arrived() >= calls.length);
    await meanwhile?.();
    let wanted = 0;
    let seen = '';
    await until(async () => {
      const { busy, waiting } = pool.poolUsage()!;
      wanted = Math.max(wanted, busy + waiting);
      const before = seen;
      seen = [busy, waiting].join();
      await holder.query('SELECT pg_stat_clear_snapshot()');
      const { rowCount } = await holder.query(RUNNING);
      return seen === before && rowCount === 0;
    });
    await holder.query('ROLLBACK');
    return { wanted, answers: await Promise.all(calls) };
  } finally {
    await holder.end();
  }
}

async function countSchemas(api: ApiClient): Promise<number> {
  const { body } = await api.call('GET', '/api/v1/schemas');
  return (body as unknown as { schemas: object[] }).schemas.length;
}

/** Begins a call on a connection of its own. @param missing bytes of its body that are not sent */
function postSchema(
  { port }: TestService,
  token: string,
  provided_id: string,
  missing = 0,
): Socket {
  const body = JSON.stringify({ provided_id, name: 'S' }).padEnd(60);
  const head = [
    'POST /api/v1/schemas HTTP/1.1',
    'Host: localhost',
    `Authorization: Token ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.resume().write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, body.length - missing)}`);
  return socket;
}
