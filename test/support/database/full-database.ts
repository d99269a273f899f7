import BetterSqlite3 from 'better-sqlite3';
import { Client } from 'pg';
import { ownScopes } from '../../../src/server/app/catalogues.ts';
import { sqlitePath } from '../../../src/platform/database/data-source-options.ts';
import { type ApiClient, NDJSON } from '../api/api-client.ts';
import type { TestDatabase } from './databases.ts';
import { PlanCalls } from '../../plan/plan-calls.ts';
import { TestJobs } from '../../bulk-job/test-jobs.ts';
import { IMPORT, toLines } from '../api/lines.ts';
import { runCli, type RunningServer } from '../process/processes.ts';
import { PERMITTED } from '../events/webhook-receiver.ts';
import { until, untilAfter } from '../time/until.ts';

export const WORKSPACES = ['default', 'Ünï "quoted"; DROP TABLE user_group; -- 😀'];

/** The content of a filled database, which must get the same responses everywhere. */
export interface Filling {
  /** An API token with every scope for each of `WORKSPACES`. */
  apiTokens: string[];
  /** Revoked, expired and replaced without an overlap. */
  endedApiTokens: string[];
  /** Replaced with an overlap that lasts. */
  overlappingApiToken: string;
  /** For each of `WORKSPACES` the tokens of its groups, current and earlier ones. */
  tokens: string[][];
  /** Repeats a rotation with the idempotency key of the first time. */
  repeatedRotation: (api: ApiClient) => Promise<string>;
  /** A token that its holder has revoked, whose group is deleted. */
  endedToken: string;
  /** The id of a group that was the newest and is deleted. */
  deletedTeamId: number;
  /** When it was done, in the form of RFC 3339. */
  filledAt: string;
}

const HOSTILE = [
  "x' OR '1'='1",
  '\\x00 \\ {"a",NULL} "quoted" $1 :name',
  'NULL',
  'é e\u0301 É',
  ' leading and trailing ',
  '\u202e\ufeff\uffff\u{10ffff}',
  '😀'.repeat(255),
];

const PROPERTIES = [
  '{}',
  '{"": null, "empty": "", "list": [], "deep": [[[{"a": [null, true, false]}]]]}',
  '{"__proto__": {"constructor": 1}, "toString": 5, "\\u2028": "\\n\\t\\\\\\"\\u007f"}',
  '{"largest": 9007199254740991, "smallest": -9007199254740991, "big": 1.7976931348623157e308, "tiny": 5e-324, "zero": 0}',
  '{"b": 1, "a": 2, "10": 3, "9": 4}',
  `{"long": "${`ü`.repeat(7000)}"}`,
];

/** Fills the embedded database of a running server with something in each of its tables. */
export async function fillDatabase(
  env: Record<string, string>,
  server: RunningServer,
): Promise<Filling> {
  await runCli(env, 'workspace', 'create', WORKSPACES[1]!);
  const apiTokens = await Promise.all(WORKSPACES.map((workspace) => createToken(env, workspace)));
  const [first, second] = apiTokens.map((token) => server.apiOf(token)) as [ApiClient, ApiClient];

  const endedApiTokens: string[] = [];
  for (const action of ['revoke', 'rotate']) {
    const { id, token } = await issueToken(first, {});
    endedApiTokens.push(token);
    await ok(first.call('POST', `/api/v1/api-tokens/${id}/${action}`, {}));
  }
  const soon = new Date(Date.now() + 5000).toISOString();
  endedApiTokens.push((await issueToken(first, { expires_at: soon })).token);
  const overlapping = await issueToken(first, { allowed_cidrs: ['127.0.0.0/8', '::1'] });
  const rotation = { grace_period_seconds: 3600 };
  await ok(first.call('POST', `/api/v1/api-tokens/${overlapping.id}/rotate`, rotation));

  const tokens = [await fillOpen(first), await fillRegistered(second)];

  const { token: current_token } = await createGroup(first, 'repeated');
  const repeatedRotation = async (api: ApiClient) =>
    (await ok(api.post({ current_token }, { 'Idempotency-Key': 'a-key' }))).text;
  await repeatedRotation(first);

  const issued = await ok(
    first.call('POST', '/api/v1/user-groups/repeated/embed-tokens', { audience: 'a' }),
  );
  await ok(first.call('POST', '/api/v1/revoke', { token: issued.body.embed_token.token }));
  await ok(
    first.call('PATCH', '/api/v1/user-groups/repeated', { valid_until: '2090-01-01T00:00:00Z' }),
  );

  const { token: endedToken } = await createGroup(first, 'revoked');
  await ok(first.call('POST', '/api/v1/revoke', { token: endedToken }));
  await ok(first.call('DELETE', '/api/v1/user-groups/revoked'));

  await declareTarget(first);
  await reportViews(first);
  await planGroups(first);
  await runJob(env, first);
  await attemptDelivery(first);
  const { team_id: deletedTeamId } = await createGroup(first, 'deleted');
  await ok(first.call('DELETE', '/api/v1/user-groups/deleted'));
  // A refused call, which belongs to no workspace.
  await server.apiOf('uga_unknown').get({ user_group_id: 'x' });
  await untilAfter(Date.parse(soon));
  return {
    apiTokens,
    endedApiTokens,
    overlappingApiToken: overlapping.token,
    tokens,
    repeatedRotation,
    endedToken,
    deletedTeamId,
    filledAt: new Date().toISOString(),
  };
}

/** A target with a secret, which another database must be able to decrypt. */
async function declareTarget(api: ApiClient): Promise<void> {
  await ok(
    api.call('PUT', '/api/v1/targets/cube', {
      kind: 'cube',
      signing: {
        alg: 'HS256',
        keys: [{ id: 'a', secret: 'a secret of at least 32 bytes of text' }],
      },
      claims: { tenant: { $: 'sub' } },
    }),
  );
}

/** Views of a group by a user, in a batch that is remembered and reaches a limit. */
async function reportViews(api: ApiClient): Promise<void> {
  const views = [{ sub: 'repeated', user_id: 'u', count: 3, at: new Date().toISOString() }];
  await ok(api.call('PUT', '/api/v1/user-groups/repeated/limits', { users_per_month: 1 }));
  await ok(api.call('POST', '/api/v1/usage/batches', { batch_id: 'a batch', views }));
}

/** A plan that is not applied, and a group of a set. */
async function planGroups(api: ApiClient): Promise<void> {
  const calls = new PlanCalls(api);
  await calls.carryOut('set=as-code', { provided_id: 'as code', name: 'As code' });
  await calls.plan('set=as-code', { provided_id: 'as code', name: 'Planned' });
}

/** A job with a result, which is not that of a group, and with lines that nobody stores, because it has ended. */
async function runJob(env: Record<string, string>, api: ApiClient): Promise<void> {
  const jobs = new TestJobs(api);
  const { id } = await jobs.begin({ action: 'suspend', ids: ['no group'] });
  await jobs.ended(id);
  const file = new BetterSqlite3(sqlitePath(env['DATA_DIR']!), { timeout: 100_000 });
  file
    .prepare('INSERT INTO bulk_job_line (job_id, part, ciphertext, key_id) VALUES (?, 1, ?, ?)')
    .run(id, Buffer.from('not to be read'), 'k1');
  file.close();
}

/** Leaves a delivery that waits for its next attempt: nobody listens at the endpoint. */
async function attemptDelivery(api: ApiClient): Promise<void> {
  const body = { url: `http://${PERMITTED}:1/` };
  const created = await ok(api.call('POST', '/api/v1/webhook-endpoints', body));
  await createGroup(api, 'told of');
  const path = `/api/v1/webhook-endpoints/${created.body.webhook_endpoint.id}/attempts`;
  await until(async () => (await api.call('GET', path)).text.includes('connection_refused'));
}

/** Groups of a workspace in which ids are opaque. */
async function fillOpen(api: ApiClient): Promise<string[]> {
  const tokens: string[] = [];
  for (const [index, text] of HOSTILE.entries()) {
    const fields = { user_group_id: text, name: text, mapping: { [text]: text, n: index - 3 } };
    tokens.push((await ok(api.put(fields))).body.user_group.token);
  }
  for (const [index, properties] of PROPERTIES.entries()) {
    const body = `{"user_group_id": "p${index}", "name": "P", "properties": ${properties}}`;
    tokens.push((await ok(api.put(body))).body.user_group.token);
  }
  for (const grace_period_seconds of [3600, 0]) {
    const { token } = await createGroup(api, `rotated ${grace_period_seconds}`);
    const rotated = await ok(api.post({ current_token: token, grace_period_seconds }));
    tokens.push(token, rotated.body.user_group.token);
  }
  tokens.push((await createGroup(api, 'suspended')).token);
  await ok(api.call('POST', '/api/v1/user-groups/suspended/suspend'));
  tokens.push((await createGroup(api, 'former')).token);
  await ok(api.call('POST', '/api/v1/user-groups/former/rename', { provided_id: 'renamed' }));
  const token = 'a-token-of-another-system-0123456789';
  const imported = toLines({ user_group_id: 'imported', name: 'I', token, mapping: { s: '7' } });
  await ok(api.call('POST', IMPORT, imported, NDJSON));
  return [...tokens, token];
}

/** A registry, and groups that refer to it. */
async function fillRegistered(api: ApiClient): Promise<string[]> {
  for (const provided_id of ['sales', 'é "x"']) {
    await ok(api.call('POST', '/api/v1/schemas', { provided_id, name: 'S' }));
    await ok(api.call('POST', '/api/v1/data-sources', { provided_id, name: 'D' }));
  }
  const once = { 'Idempotency-Key': 'a-key' };
  await ok(api.call('POST', '/api/v1/data-sources', { provided_id: 'once', name: 'O' }, once));
  const settings = {
    mapping_policy: 'registered',
    variables: [{ name: 'region', type: 'string', required: true }],
  };
  await ok(api.call('PATCH', '/api/v1/workspace', settings));
  const mapping = { sales: 'é "x"' };
  const group = { user_group_id: 'resolved', name: 'R', mapping, properties: { region: 'EMEA' } };
  return [(await ok(api.put(group))).body.user_group.token];
}

async function createToken(env: Record<string, string>, workspace: string): Promise<string> {
  const options = ['--name', 'all', '--scopes', 'all', '--workspace', workspace];
  return (await runCli(env, 'token', 'create', ...options)).stdout.trim();
}

async function issueToken(api: ApiClient, fields: object) {
  const body = { name: 'issued', scopes: ownScopes, ...fields };
  return (await ok(api.call('POST', '/api/v1/api-tokens', body))).body.api_token;
}

async function createGroup(api: ApiClient, id: string) {
  return (await ok(api.put({ user_group_id: id, name: id }))).body.user_group;
}

async function ok(answer: ReturnType<ApiClient['get']>) {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return answer;
}

/** Every row of every table but the record of migrations, as texts that both databases agree on. */
export function readTables(database: TestDatabase): Promise<Map<string, string[]>> {
  return database.kind === 'sqlite' ? readSqlite(database) : readPostgres(database);
}

async function readSqlite({ env }: TestDatabase): Promise<Map<string, string[]>> {
  const file = new BetterSqlite3(sqlitePath(env['DATA_DIR']!), { readonly: true });
  const names = file
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('migration', 'sqlite_sequence')`,
    )
    .pluck()
    .all();
  const tables = names.map((name) => {
    const rows = file.prepare<[], object>(`SELECT * FROM ${name}`).safeIntegers().all();
    return [name, rows.map(toText).sort()] as const;
  });
  file.close();
  return Promise.resolve(new Map(tables));
}

async function readPostgres({ env }: TestDatabase): Promise<Map<string, string[]>> {
  const client = new Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  const { rows: names } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_name <> 'migration'`,
  );
  const tables = new Map<string, string[]>();
  for (const { name } of names) {
    tables.set(name, (await client.query<object>(`SELECT * FROM ${name}`)).rows.map(toText).sort());
  }
  await client.end();
  return tables;
}

/** Leaves out the number of a transaction, which each database gives by itself. */
function toText(row: object): string {
  const own = Object.entries(row).filter(([name]) => name !== 'transaction_id');
  const values = own.map(([name, value]: [string, unknown]) => {
    if (Buffer.isBuffer(value)) return [name, value.toString('hex')];
    if (typeof value === 'boolean') return [name, value ? '1' : '0'];
    return [name, typeof value === 'bigint' || typeof value === 'number' ? `${value}` : value];
  });
  return JSON.stringify(values.sort());
}
