import { join } from 'node:path';
import '../../src/server/app/features.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { OWN_PAGE } from '../support/console/console.ts';
import {
  administer,
  changeDatabase,
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import {
  fillDatabase,
  type Filling,
  readTables,
  WORKSPACES,
} from '../support/database/full-database.ts';
import { importGroups } from '../support/api/lines.ts';
import { runSql } from '../support/keys.ts';
import { until } from '../support/time/until.ts';
import { SENDING } from '../support/events/webhook-receiver.ts';
import { runBuilt, runCli, type RunningServer, startServer } from '../support/process/processes.ts';

// There is nothing to move to without PostgreSQL.
onPostgres('a database with everything', () => {
  let source: TestDatabase;
  let target: TestDatabase;
  let targetEnv: Record<string, string>;
  let filling: Filling;
  let before: string[];
  let events: string[];
  /** An event for which the service has made no message when it stops. */
  let unsent: { id: number };
  let moved: Awaited<ReturnType<typeof runBuilt>>;
  let server: RunningServer;

  beforeAll(async () => {
    source = await createTestDatabase('sqlite');
    target = await createTestDatabase('postgres');
    targetEnv = {
      DATA_DIR: source.env['DATA_DIR']!,
      DATABASE_URL: target.env['DATABASE_URL']!,
      TOKEN_ENCRYPTION_KEYS_FILE: join(source.env['DATA_DIR']!, 'token-encryption-keys'),
    };
    server = await startServer({ ...source.env, ...SENDING });
    filling = await fillDatabase(source.env, server);
    before = await answers(server);
    events = await listEvents(server);
    const signIn = { api_token: filling.apiTokens[0] };
    await server.api.call('POST', '/console/session', signIn, OWN_PAGE);
    await server.stop();
    await prepareDatabase(loadConfig(target.env));
    // Nothing else makes one within days.
    await changeDatabase(source, "INSERT INTO reminder VALUES ('api_token.expiring', '1/1', 1)");
    await changeDatabase(source, 'INSERT INTO change_removal (id, removed_until) VALUES (1, 1)');
    await addConsumer();
    await addLaterTable();
    await addWaiting();
    unsent = await takeDelivery();
    moved = await runBuilt('cli.js', targetEnv, 'migrate-data');
  });

  afterAll(async () => {
    await server.stop();
    await source.drop();
    await target.drop();
  });

  /** Adds the rows that an application leaves: a server has none. */
  function addConsumer(): Promise<void> {
    return changeDatabase(
      source,
      `INSERT INTO event_consumer (name, position, lease_owner, lease_until, created_at, updated_at)
       VALUES ('billing', '{"id":1,"at":1}', NULL, NULL, 1, 2), ('ledger', '{"id":2,"at":3}', 'a', 4, 5, 6)`,
    );
  }

  /** A table as a later version may have it: named before what it refers to, with another type. */
  async function addLaterTable(): Promise<void> {
    const columns = 'user_group_id integer NOT NULL REFERENCES user_group (id), is_done boolean';
    await changeDatabase(
      source,
      `CREATE TABLE a_later_table (id integer PRIMARY KEY AUTOINCREMENT, ${columns});
       INSERT INTO a_later_table (user_group_id, is_done) VALUES (1, 0), (1, 1), (1, NULL)`,
    );
    await changeDatabase(target, `CREATE TABLE a_later_table (id serial PRIMARY KEY, ${columns})`);
  }

  /** A replay that has not begun when the server stops, and changes that wait for their turn. */
  const addWaiting = () =>
    changeDatabase(
      source,
      `INSERT INTO webhook_replay (workspace_id, endpoint_id, progress, turn_at)
       SELECT workspace_id, id, json_object('endpointId', id, 'from', 1, 'to', 1, 'includeDelivered', 0,
         'actor', json_object('workspaceId', workspace_id), 'afterAt', 1, 'afterId', 0, 'replayed', 0), 1
       FROM webhook_endpoint;
       INSERT INTO webhook_backlog (workspace_id, position, turn_at)
       SELECT workspace_id, '{"at":1}', 1 FROM webhook_endpoint`,
    );

  /** Takes the last event that the endpoint wants, whether or not the service has made its message. */
  async function takeDelivery(): Promise<{ id: number }> {
    const lastDeletion =
      "SELECT max(public_id) AS id FROM change_event WHERE kind = 'user_group.delete'";
    const [last] = await runSql<{ id: number }>(source, lastDeletion);
    await changeDatabase(source, `DELETE FROM webhook_delivery WHERE event_id = ${last!.id}`);
    return last!;
  }

  async function listEvents({ apiOf }: RunningServer): Promise<string[]> {
    const { status, body } = await apiOf(filling.apiTokens[0]!).call(
      'GET',
      '/api/v1/events?limit=1000',
    );
    expect([status, body.has_more]).toEqual([200, false]);
    return (body as unknown as { events: { id: string }[] }).events.map(({ id }) => id);
  }

  /** The responses of a server about everything: one text for each call. */
  async function answers({ apiOf }: RunningServer): Promise<string[]> {
    const texts: string[] = [];
    for (const [index, apiToken] of filling.apiTokens.entries()) {
      const api = apiOf(apiToken);
      const call = async (...args: Parameters<typeof api.call>) => {
        const answer = await api.call(...args);
        texts.push(`${JSON.stringify(args)} ${answer.status} ${withoutUse(answer.text)}`);
        return answer;
      };
      const { body } = await call('GET', '/api/v1/user-groups?limit=200');
      for (const { provided_id } of body.user_groups) {
        await call('GET', '/api/user', { user_group_id: provided_id });
        await call('GET', `/api/v1/user-groups/${encodeURIComponent(provided_id)}/tokens`);
      }
      for (const token of filling.tokens[index]!) {
        await call('POST', '/api/v1/introspect', { token });
      }
      for (const path of ['schemas', 'data-sources', 'workspace', 'api-tokens?limit=200']) {
        await call('GET', `/api/v1/${path}`);
      }
      await call('GET', `/api/v1/audit-events?limit=200&to=${filling.filledAt}`);
    }
    for (const token of filling.endedApiTokens) {
      const { status, body } = await apiOf(token).get({ user_group_id: 'p0' });
      texts.push(`${status} ${body.code} ${body.detail}`);
    }
    return texts;
  }

  /** The time of the last use is written down after the answer. */
  function withoutUse(text: string): string {
    return text.replaceAll(/"last_(used|introspected)_at":("[^"]+"|null)/g, '');
  }

  test('every table of the schema had rows, and is equal to the last byte', async () => {
    expect(moved).toMatchObject({ code: 0 });
    const own = await readTables(source);
    const theirs = await readTables(target);
    // A new table has to be filled in `fillDatabase`, or nothing shows that it is moved.
    const emptyOf = (tables: typeof own) =>
      [...tables].flatMap(([name, rows]) => (rows.length === 0 ? [name] : []));
    expect([own, theirs].map(emptyOf)).toEqual([[], []]);
    expect(theirs).toEqual(own);
    for (const [name, rows] of theirs) {
      expect(moved.stdout).toMatch(new RegExp(`^${name} +${rows.length} +[0-9a-f]{64}$`, 'm'));
    }
    const total = [...theirs.values()].reduce((sum, { length }) => sum + length, 0);
    expect(moved.stderr).toBe(
      `${total} rows of ${theirs.size} tables were copied, and are equal on both.\n`,
    );
  });

  test('a server on PostgreSQL answers the same of everything, with every API token', async () => {
    server = await startServer({ ...targetEnv, ...SENDING });
    const after = await answers(server);
    expect(after).toEqual(before);
    // The responses contain each kind that the test asks for.
    const all = after.join('\n');
    for (const part of ['"active":true', '"active":false', '"exp":', '401 ', '"unmapped"']) {
      expect(all).toContain(part);
    }
    const { status } = await server.apiOf(filling.overlappingApiToken).get({ user_group_id: 'p0' });
    expect(status).toBe(200);
  });

  test('the feed begins with the oldest event, and webhooks get what they have not got', async () => {
    const after = await listEvents(server);
    expect(after.slice(0, events.length)).toEqual(events);
    const made = () =>
      runSql<{ id: string }>(
        target,
        `SELECT event_id AS id FROM webhook_delivery WHERE event_id = ${unsent.id}`,
      );
    await until(async () => (await made()).length > 0);
  });

  test('both export the same lines', async () => {
    for (const workspace of WORKSPACES) {
      const args = ['group', 'export', '--workspace', workspace];
      const own = await runCli(source.env, ...args);
      const theirs = await runCli(targetEnv, ...args);
      expect(own.stdout).toContain('"token":');
      expect(theirs).toEqual(own);
    }
  });

  test('a token that was ended on purpose comes back by no import', async () => {
    const line = { user_group_id: 'revoked', name: 'R', token: filling.endedToken };
    const [refused] = await importGroups(server.apiOf(filling.apiTokens[0]!), line);
    expect(refused).toMatchObject({ status: 409, code: 'token_not_usable' });
  });

  test('a rotation that is repeated with its idempotency key is answered as before', async () => {
    const api = server.apiOf(filling.apiTokens[0]!);
    const first = await filling.repeatedRotation(api);
    const { text } = await api.get({ user_group_id: 'repeated' });
    const { token } = (JSON.parse(first) as { user_group: { token: string } }).user_group;
    expect(text).toContain(token);
  });

  test('every token still rotates, and what is new gets an id that was never given', async () => {
    const api = server.apiOf(filling.apiTokens[0]!);
    const highest = Math.max(...(await ids('audit_event')));
    const { body } = await api.put({ user_group_id: 'new', name: 'N' });
    expect(body.user_group.team_id).toBe(filling.deletedTeamId + 1);
    const current_token = (await api.get({ user_group_id: 'rotated 3600' })).body.user_group.token;
    expect((await api.post({ current_token })).status).toBe(200);
    const tokenIds = await ids('api_token');
    const created = await runCli(targetEnv, 'token', 'create', '--name', 'n');
    const [, id] = /^API token (\d+) /.exec(created.stderr)!;
    expect(tokenIds).not.toContain(Number(id));
    expect(await ids('api_token')).toContain(Number(id));
    // The server may have reminded somebody of something meanwhile.
    const actions = ['user_group.create', 'user_group_token.rotate', 'api_token.issue'];
    const made = await runSql<{ action: string }>(
      target,
      `SELECT action FROM audit_event WHERE id > ${highest} AND action IN ('${actions.join("', '")}') ORDER BY id`,
    );
    expect(made.map(({ action }) => action)).toEqual(actions);
    for (const path of ['schemas', 'data-sources']) {
      const body = { provided_id: 'new', name: 'N' };
      expect((await api.call('POST', `/api/v1/${path}`, body)).status).toBe(201);
    }
    expect((await runCli(targetEnv, 'workspace', 'create', 'new')).code).toBe(0);
  });

  test('the audit log that was moved cannot be changed either', async () => {
    const url = target.env['DATABASE_URL'];
    await expect(administer("UPDATE audit_event SET action = 'x'", url)).rejects.toThrow(
      /cannot be changed or removed/,
    );
  });

  test('what has been moved is not moved again', async () => {
    // Nothing is written in the background any more.
    expect(await server.stop()).toBe(0);
    const rows = await readTables(target);
    const { code, stderr } = await runCli(targetEnv, 'migrate-data');
    expect([code, stderr]).toEqual([4, expect.stringContaining('has data already, in the table')]);
    expect(await readTables(target)).toEqual(rows);
  });

  async function ids(table: string): Promise<number[]> {
    const rows = (await readTables(target)).get(table)!;
    return rows.map((row) => Number(new Map(JSON.parse(row) as [string, string][]).get('id')));
  }
});
