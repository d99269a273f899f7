import { UserGroupList } from '../../src/core/user-group/resource/user-group-list.ts';
import { type Caller, scopes } from '../../src/platform/common/access/caller.ts';
import { RateLimits } from '../../src/core/rate-limit/rate-limits.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { ConsoleBrowser } from '../support/console/console.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { type TestService, withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

/** Makes searches of a read-only token hold all turns of its workspace until the returned function is called. */
async function fillTurns(service: TestService, reader: ApiClient): Promise<() => Promise<void>> {
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const lists = service.app.get(UserGroupList);
  const original = lists.list.bind(lists);
  const list = jest.spyOn(lists, 'list').mockImplementation(async (...call) => {
    await held;
    return original(...call);
  });
  const calls = Array.from({ length: 12 }, () =>
    reader.call('GET', '/api/v1/user-groups?search=x'),
  );
  await until(() => list.mock.calls.length === 2);
  return async () => {
    release!();
    await Promise.all(calls);
    list.mockRestore();
  };
}

onEachDatabase((kind) => {
  const service = withService(kind);

  test('while one API token fills all turns of its workspace, another one ends access and issues embed tokens', async () => {
    const readerToken = await service.issueToken(['user-groups:read'], 'turns');
    const ownerToken = await service.issueToken([...scopes], 'turns');
    const owner = service.clientOf(ownerToken);
    const overlapping = await owner.create();
    await owner.rotate(overlapping.token, 3600);
    const [revoked, reported] = [await owner.create(), await owner.create()];
    const { body } = await owner.call('GET', '/api/v1/api-tokens');
    const readerId = body.api_tokens.find(({ scopes: held }) => held.length === 1)!.id;
    const release = await fillTurns(service, service.clientOf(readerToken));
    try {
      const token = { name: 'next', scopes: ['user-groups:read'] };
      const post = (path: string, sent: object = {}) => owner.call('POST', `/api/v1/${path}`, sent);
      const issued = await post('api-tokens', token);
      const { id } = issued.body.api_token;
      const browser = new ConsoleBrowser(service);
      const others = [
        await browser.signIn(ownerToken),
        await browser.signOut(),
        await owner.call('POST', `${reported.path}/embed-tokens`, { audience: 'renderer' }),
        await owner.call('PATCH', `/api/v1/api-tokens/${id}`, { name: 'renamed' }),
        await post(`api-tokens/${id}/rotate`),
        await post(`api-tokens/${readerId}/revoke`),
        await owner.call('POST', `${overlapping.path}/tokens/1/revoke`),
        await post('revoke', { token: revoked.token }),
        await post('tokens/report-leaked', { tokens: [reported.token] }),
        await post('workspace/end-tokens', {
          kinds: ['user_group_token', 'embed_token'],
          reason: 'leaked',
        }),
      ];
      expect(
        [issued, ...others].map(({ status, body }) => ('code' in body ? body.code : status)),
      ).toEqual([201, 200, 200, 201, 200, 201, 200, 200, 200, 200, 200]);
    } finally {
      await release();
    }
  });

  test('while one API token has as many reports waiting for its rate limits as may wait, another one reports', async () => {
    const thief = service.clientOf(await service.issueToken(['tokens:rotate'], 'reports'));
    const owner = service.clientOf(await service.issueToken([...scopes], 'reports'));
    const { token } = await owner.create();
    const limits = service.app.get(RateLimits);
    const original = limits.take.bind(limits);
    let waiting = 0;
    const take = jest.spyOn(limits, 'take').mockImplementation((caller: Caller, wanted: number) => {
      if (caller.scopes.size > 1) return original(caller, wanted);
      waiting++;
      return Promise.resolve(0);
    });
    const report = (api: ApiClient, text: string) =>
      api.call('POST', '/api/v1/tokens/report-leaked', { tokens: [text] });
    const reports = ['x', 'y'].map((text) => report(thief, text));
    await until(() => waiting >= 2);
    const refused = await report(thief, 'z');
    expect([refused.status, refused.body.detail]).toEqual([
      429,
      expect.stringContaining('2 reports of leaked tokens'),
    ]);
    const { status, body } = await report(owner, token);
    expect([status, body.results]).toEqual([200, [expect.objectContaining({ result: 'ended' })]]);
    take.mockRestore();
    expect((await Promise.all(reports)).map((one) => one.status)).toEqual([200, 200]);
  });
});
