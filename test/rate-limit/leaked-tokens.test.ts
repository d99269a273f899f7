import { RateLimits } from '../../src/core/rate-limit/rate-limits.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { importGroups } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const LIMIT = 40;
/** Without the tenth that is left to others, and the call of the report itself. */
const TOKENS_AT_ONCE = 35;
const buckets = withFrozenBuckets();

onEachDatabase((kind) => {
  const service = withService(kind, { RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  let workspaces = 0;
  const report = (api: ApiClient, tokens: readonly string[]) =>
    api.call('POST', '/api/v1/tokens/report-leaked', { tokens });

  async function start() {
    const workspace = `leaking ${++workspaces}`;
    const apiToken = await service.issueToken(['tokens:rotate'], workspace);
    const hosts: ApiClient[] = [];
    for (let n = 0; n < 3; n++) {
      hosts.push(
        service.clientOf(
          await service.issueToken(
            ['user-groups:write', 'user-group-tokens:read', 'tokens:introspect'],
            workspace,
          ),
        ),
      );
    }
    const lines = Array.from({ length: 38 }, (_, n) => ({
      user_group_id: `${workspace} ${n}`,
      name: 'L',
      token: `${workspace.replace(' ', '-')}-of-a-group-${n}`,
    }));
    const importer = service.clientOf(
      await service.issueToken(['user-groups:write', 'tokens:rotate'], workspace),
    );
    await importGroups(importer, ...lines.slice(0, TOKENS_AT_ONCE));
    buckets.pass(60_000);
    await importGroups(importer, ...lines.slice(TOKENS_AT_ONCE));
    buckets.pass(60_000);
    return {
      apiToken,
      api: service.clientOf(apiToken),
      host: hosts[0]!,
      tokens: lines.map(({ token }) => token),
    };
  }

  const countOfEnded = async () =>
    (await service.query(`SELECT 1 FROM audit_event WHERE action = 'user_group_token.leaked'`))
      .length;

  test('each reported text counts as a call, also one that is unknown', async () => {
    const api = service.clientOf(await service.issueToken(['tokens:rotate'], 'counted'));
    await report(api, ['one', 'two', 'three', 'two']);
    const { headers } = await report(api, ['four']);
    expect(headers['ratelimit']).toContain(`"api-token";r=${LIMIT - 1 - 3 - 1};`);
  });

  test('beyond the limit a report waits, others go on, and the response has the result of each token', async () => {
    const { apiToken, api, host, tokens } = await start();
    const take = jest.spyOn(service.app.get(RateLimits), 'take').mockClear();
    // Its own token comes first, and is ended last.
    const reporting = report(api, [apiToken, ...tokens]);
    await until(() => take.mock.calls.length > 2);
    expect(await countOfEnded()).toBe(TOKENS_AT_ONCE - 1);
    expect([await host.isActive(tokens[0]!), await host.isActive(tokens.at(-1)!)]).toEqual([
      false,
      true,
    ]);
    buckets.pass(60_000);
    const { status, body } = await reporting;
    expect(status).toBe(200);
    expect(body.results.map(({ kind: of, result }) => [of, result])).toEqual([
      ['api_token', 'ended'],
      ...tokens.map(() => ['user_group_token', 'ended']),
    ]);
    expect(await host.isActive(tokens.at(-1)!)).toBe(false);
  });

  test('at most two reports of a workspace wait, and a third is refused', async () => {
    const { api, tokens } = await start();
    const other = [...tokens, 'unknown'];
    const before = await countOfEnded();
    const waiting = [report(api, other)];
    await until(async () => (await countOfEnded()) > before);
    waiting.push(report(api, other));
    const take = jest.spyOn(service.app.get(RateLimits), 'take').mockClear();
    await until(() => new Set(take.mock.calls.map(([, wanted]) => wanted)).size === 2);
    const { status, body } = await report(api, other);
    expect([status, body.code]).toEqual([429, 'too_many_at_once']);
    let ended = 0;
    for (const one of waiting) void one.finally(() => ended++);
    // A bucket is never more than full, so one of them may need the time of several.
    await until(() => {
      buckets.pass(60_000);
      return ended === waiting.length;
    });
    for (const { status: ofOne } of await Promise.all(waiting)) expect(ofOne).toBe(200);
  });
});
