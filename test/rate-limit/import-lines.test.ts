import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionPool } from '../../src/database/connection-pool.ts';
import { RateLimits, type Share } from '../../src/rate-limit/rate-limits.ts';
import { type ApiClient, NDJSON } from '../support/api-client.ts';
import { onEachDatabase } from '../support/databases.ts';
import { soon } from '../support/fake-time.ts';
import { type AnswerLine, IMPORT, importGroups, linesOf, toLines } from '../support/lines.ts';
import { startTestService, withService } from '../support/test-service.ts';

const LIMIT = 40;
/** Without the tenth that imports leave to others, and the call of the import itself. */
const LINES_AT_ONCE = 35;

onEachDatabase((kind) => {
  const service = withService(kind, { RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  let passedMs = 0;

  // A minute is not waited for but skipped.
  beforeEach(() => {
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const groups = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ user_group_id: `${prefix} ${n}`, name: 'N' }));
  let workspaces = 0;
  const issue = (workspace = `of one ${++workspaces}`) =>
    service.issueToken(['user-groups:read', 'user-groups:write'], workspace);
  const countGroups = async (prefix: string) =>
    (await service.query(`SELECT 1 FROM user_group WHERE provided_id LIKE '${prefix} %'`)).length;

  function open(
    apiToken: string,
    at = service,
  ): { outgoing: ClientRequest; response: Promise<IncomingMessage> } {
    const outgoing = request(at.baseUrl + IMPORT, {
      method: 'POST',
      agent: false,
      headers: { Authorization: `Token ${apiToken}`, ...NDJSON },
    });
    outgoing.on('error', () => undefined);
    const response = once(outgoing, 'response').then(([incoming]) => incoming as IncomingMessage);
    response.catch(() => undefined);
    return { outgoing, response };
  }

  /** An import that has stored what it may and waits; `lines` are those that were answered so far. */
  async function startWaiting(apiToken: string, prefix: string, at = service) {
    const { outgoing, response } = open(apiToken, at);
    outgoing.write(toLines(...groups(prefix, 50)));
    const incoming = await response;
    let text = '';
    const ended = (async () => {
      for await (const chunk of incoming) text += String(chunk);
    })();
    ended.catch(() => undefined);
    const lines = (): AnswerLine[] => linesOf({ text });
    while (text === '' || lines().length < LINES_AT_ONCE) await sleep(20);
    return { outgoing, lines, ended };
  }

  test('each line counts as a call, also one that is refused', async () => {
    const client = service.clientOf(await issue());
    await importGroups(client, ...groups('counted', 5), { user_group_id: '' }, { name: 'no id' });
    const { headers } = await client.get({ user_group_id: 'counted 0' });
    expect(headers['ratelimit']).toContain(`"api-token";r=${LIMIT - 1 - 7 - 1};`);
  });

  test('beyond the limit an import waits, holds nothing and reads nothing, and others go on', async () => {
    const apiToken = await issue();
    const client = service.clientOf(apiToken);
    const { outgoing, lines, ended } = await startWaiting(apiToken, 'waiting');
    await sleep(1500);
    expect(lines()).toHaveLength(LINES_AT_ONCE);
    expect(await countGroups('waiting')).toBe(LINES_AT_ONCE);
    // Nothing of its body is read meanwhile.
    let isSent = false;
    outgoing.write(Buffer.alloc(32 * 1024 ** 2, '\n'), () => (isSent = true));
    await sleep(500);
    expect(isSent).toBe(false);
    // Something else may use a connection for a moment.
    const pool = service.app.get(ConnectionPool);
    for (let tries = 0; (pool.usage()?.busy ?? 0) > 0 && tries < 50; tries++) await sleep(20);
    if (kind === 'postgres') expect(pool.usage()).toMatchObject({ busy: 0, waiting: 0 });
    // The same token has some calls left, another its own, and imports of others are stored.
    expect((await client.put({ user_group_id: 'beside', name: 'B' })).status).toBe(200);
    const [line] = await importGroups(service.clientOf(await issue()), ...groups('other', 1));
    expect(line).toMatchObject({ success: 1 });
    outgoing.destroy();
    await ended.catch(() => undefined);
  });

  test('an import that waits asks for one line at a time, however many it has read', async () => {
    const take = jest.spyOn(service.app.get(RateLimits), 'take');
    const { outgoing, ended } = await startWaiting(await issue(), 'one by one');
    const requests = async () => {
      const shares = await Promise.all(
        take.mock.results.map(({ value }) => value as Promise<Share>),
      );
      return shares.map(({ granted }, index) => ({ wanted: take.mock.calls[index]![1], granted }));
    };
    const waiting = async () => (await requests()).filter(({ granted }) => granted === 0).slice(2);
    await soon(waiting);
    const [first, second, ...others] = await requests();
    expect([first, second]).toEqual([
      { wanted: 50, granted: LINES_AT_ONCE },
      { wanted: 50 - LINES_AT_ONCE, granted: 0 },
    ]);
    expect(others.length).toBeGreaterThanOrEqual(2);
    for (const request of others) expect(request).toEqual({ wanted: 1, granted: 0 });
    outgoing.destroy();
    await ended.catch(() => undefined);
  });

  test('what waited is stored when the minute is over, and the answer is complete', async () => {
    const { outgoing, lines, ended } = await startWaiting(await issue(), 'later');
    outgoing.end();
    passedMs += 61_000;
    await ended;
    expect(lines()).toHaveLength(51);
    expect(lines().at(-1)!.summary).toMatchObject({ created: 50, failed: 0, complete: true });
    expect(await countGroups('later')).toBe(50);
  });

  test('an import that waits ends with its API token', async () => {
    const apiToken = await issue();
    const { outgoing, lines, ended } = await startWaiting(apiToken, 'revoked');
    await service.revokeToken(apiToken);
    await ended;
    expect(lines().at(-1)!.summary).toMatchObject({ complete: false, code: 'api_token_invalid' });
    expect(await countGroups('revoked')).toBe(LINES_AT_ONCE);
    outgoing.destroy();
  });

  test('a client that goes away while its import waits leaves nothing that waits', async () => {
    const { outgoing } = await startWaiting(await issue(), 'gone');
    outgoing.destroy();
    await sleep(1500);
    passedMs += 61_000;
    await sleep(1500);
    expect(await countGroups('gone')).toBe(LINES_AT_ONCE);
  });

  test('the lines of all tokens count for the workspace', async () => {
    const workspace = 'of many';
    const clients: ApiClient[] = [];
    for (let n = 0; n < 5; n++) clients.push(service.clientOf(await issue(workspace)));
    await Promise.all(
      clients.map((client, n) => importGroups(client, ...groups(`many ${n}`, LINES_AT_ONCE - 5))),
    );
    const { headers } = await clients[0]!.get({ user_group_id: 'many 0 0' });
    const left = 5 * LIMIT - 5 * (1 + LINES_AT_ONCE - 5) - 1;
    expect(headers['ratelimit']).toContain(`"workspace";r=${left};`);
  });

  test('an import that waits is told when the process ends, and does not keep it', async () => {
    const ending = await startTestService(kind, { RATE_LIMIT_PER_MINUTE: String(LIMIT) });
    const waiting = await startWaiting(ending.bootstrapToken, 'ending', ending);
    const startedAt = performance.now();
    const closed = ending.close();
    await waiting.ended;
    const last = waiting.lines().at(-1)!;
    expect(last.summary).toMatchObject({ complete: false, code: 'shutting_down' });
    waiting.outgoing.destroy();
    await closed;
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });
});
