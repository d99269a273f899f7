import { UserGroupClient } from '../../clients/typescript/index.ts';
import { ChangeTail } from '../../src/features/event/feed/change-tail.ts';
import { CuttableProxy } from '../support/servers/cuttable-proxy.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

onEachDatabase((kind) => {
  const service = withService(kind);
  const write = (id: string) => service.api.put({ user_group_id: id, name: id });

  test('events are followed across connections that are lost, without a gap', async () => {
    const proxy = await CuttableProxy.start(service.baseUrl);
    const client = new UserGroupClient({
      baseUrl: proxy.baseUrl,
      apiToken: service.bootstrapToken,
    });
    const { next_cursor: after } = await client.listEvents({ after: 'latest' });
    // An event can come again, with the same id.
    const told = new Map<string, string>();
    const abort = new AbortController();
    const following = (async () => {
      const options = { after, types: 'user_group.create', signal: abort.signal };
      for await (const { event, lastEventId } of client.followEvents(options)) {
        expect(lastEventId).not.toBe('');
        told.set(event.id, event.user_group!.provided_id);
      }
    })().catch((error: unknown) => error);
    await write('one');
    await until(() => told.size === 1);
    proxy.drop();
    await write('two');
    await write('three');
    await until(() => told.size === 3);
    expect([...told.values()]).toEqual(['one', 'two', 'three']);
    abort.abort(new Error('enough'));
    expect(await following).toMatchObject({ message: 'enough' });
    await proxy.close();
  });

  test('a position that is none ends the following', async () => {
    const client = new UserGroupClient({
      baseUrl: service.baseUrl,
      apiToken: service.bootstrapToken,
    });
    const following = client.followEvents({ after: 'nowhere' });
    await expect(following.next()).rejects.toMatchObject({
      name: 'ApiError',
      code: 'validation_failed',
    });
  });

  test('a list of events that waits goes on with what happens later', async () => {
    const client = new UserGroupClient({
      baseUrl: service.baseUrl,
      apiToken: service.bootstrapToken,
    });
    const { next_cursor: after } = await client.listEvents({ after: 'latest' });
    const listed = client.listEvents({ after, wait: 30 })[Symbol.asyncIterator]();
    const next = listed.next();
    await until(() => service.app.get(ChangeTail).count === 1);
    await write('later');
    expect((await next).value?.user_group?.provided_id).toBe('later');
    await listed.return();
  });
});
