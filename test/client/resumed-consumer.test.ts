import { readMessages } from '../../clients/typescript/event-stream.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { missedBy } from '../support/events/resumed-consumer.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  test('a consumer that stores what it is told, and is killed amid events, misses none', async () => {
    const missed = await missedBy(service.api, async (count, position) => {
      const kill = new AbortController();
      const { body } = await fetch(`${service.baseUrl}/api/v1/events/stream`, {
        headers: {
          Authorization: `Token ${service.bootstrapToken}`,
          ...(position && { 'Last-Event-ID': position }),
        },
        signal: kill.signal,
      });
      const handled: string[] = [];
      let stored = position;
      for await (const { event, data, lastEventId } of readMessages(body!, kill.signal, position)) {
        stored = lastEventId;
        if (event === 'change') {
          const { user_group } = JSON.parse(data) as { user_group: { provided_id: string } };
          handled.push(user_group.provided_id);
        }
        if (handled.length === count || event === 'current') break;
      }
      kill.abort();
      return { handled, stored };
    });
    expect(missed).toEqual([]);
  });
});
