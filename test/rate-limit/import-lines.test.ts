import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Statements } from '../../src/platform/database/statements.ts';
import { RateLimits } from '../../src/core/rate-limit/rate-limits.ts';
import { UserGroupImporter } from '../../src/features/bulk/user-group-importer.ts';
import { type ApiClient, NDJSON } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { type AnswerLine, IMPORT, importGroups, linesOf, toLines } from '../support/api/lines.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const LIMIT = 40;
const LINE_MS = 60_000 / LIMIT;
/** Without the tenth that imports leave to others, and the call of the import itself. */
const LINES_AT_ONCE = 35;
const buckets = withFrozenBuckets();

onEachDatabase((kind) => {
  const service = withService(kind, { RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  const groups = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ user_group_id: `${prefix} ${n}`, name: 'N' }));
  let workspaces = 0;
  const issue = (workspace = `of one ${++workspaces}`) =>
    service.issueToken(
      ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
      workspace,
    );
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
    await until(() => text !== '' && lines().length >= LINES_AT_ONCE);
    return { outgoing, lines, ended };
  }

  test('each line counts as a call, also one that is refused or blank, and the last one of an export', async () => {
    const client = service.clientOf(await issue());
    const lines = toLines(
      ...groups('counted', 5),
      { user_group_id: '' },
      { name: 'no id' },
      { summary: {} },
    );
    await client.call('POST', IMPORT, `${lines}\n\r\n`, NDJSON);
    const { headers } = await client.get({ user_group_id: 'counted 0' });
    expect(headers['ratelimit']).toContain(`"api-token";r=${LIMIT - 1 - 10 - 1};`);
  });

  test('beyond the limit an import waits, holds nothing and reads nothing, and others go on', async () => {
    const apiToken = await issue();
    const client = service.clientOf(apiToken);
    const take = jest.spyOn(service.app.get(RateLimits), 'take').mockClear();
    const { outgoing, lines, ended } = await startWaiting(apiToken, 'waiting');
    // It has asked once more in vain.
    await until(() => take.mock.calls.length > 3);
    expect(lines()).toHaveLength(LINES_AT_ONCE);
    expect(await countGroups('waiting')).toBe(LINES_AT_ONCE);
    // Nothing of its body is read meanwhile.
    let isSent = false;
    outgoing.write(Buffer.alloc(32 * 1024 ** 2, '\n'), () => (isSent = true));
    const asked = take.mock.calls.length;
    await until(() => take.mock.calls.length > asked + 2);
    expect(isSent).toBe(false);
    // Something else may use a connection for a moment.
    const pool = service.app.get(Statements);
    const usage = () => pool.poolUsage() ?? { busy: 0, waiting: 0 };
    await until(() => usage().busy + usage().waiting === 0);
    // The same token has some calls left, another its own, and imports of others are stored.
    expect((await client.put({ user_group_id: 'beside', name: 'B' })).status).toBe(200);
    const [line] = await importGroups(service.clientOf(await issue()), ...groups('other', 1));
    expect(line).toMatchObject({ success: 1 });
    outgoing.destroy();
    await ended.catch(() => undefined);
  });

  test('an import that waits leaves a tenth of the limit to calls, which are never refused because of it', async () => {
    const apiToken = await issue();
    const take = jest.spyOn(service.app.get(RateLimits), 'take').mockClear();
    const { outgoing, ended } = await startWaiting(apiToken, 'beside');
    for (let n = 0; n < LIMIT / 10; n++) {
      const asked = take.mock.calls.length;
      await until(() => take.mock.calls.length > asked);
      expect((await service.clientOf(apiToken).get({ user_group_id: 'x' })).status).toBe(404);
    }
    expect((await service.clientOf(apiToken).get({ user_group_id: 'x' })).status).toBe(429);
    outgoing.destroy();
    await ended.catch(() => undefined);
  });

  test('what waited is stored bit by bit as the limit refills, and the answer is complete', async () => {
    const { outgoing, lines, ended } = await startWaiting(await issue(), 'later');
    outgoing.end();
    for (const stored of [LINES_AT_ONCE + 1, LINES_AT_ONCE + 4]) {
      buckets.pass((stored - lines().length) * LINE_MS);
      await until(() => lines().length === stored);
    }
    buckets.pass(60_000);
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
    const { slots } = service.app.get<{ slots: { total: number } }>(UserGroupImporter);
    const before = slots.total;
    outgoing.destroy();
    await until(() => slots.total === before - 1);
    buckets.pass(60_000);
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
    const closed = ending.close();
    await waiting.ended;
    const last = waiting.lines().at(-1)!;
    expect(last.summary).toMatchObject({ complete: false, code: 'shutting_down' });
    waiting.outgoing.destroy();
    await closed;
  });
});
