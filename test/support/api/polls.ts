import { ChangeFeed } from '../../../src/core/change-log/change-feed.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../time/until.ts';

/** Waits for a poll of the changes on PostgreSQL that has begun after this call: it tells of every earlier commit. */
export async function untilPolled({ app }: TestService): Promise<void> {
  const { poller } = app.get<{ poller: { sentAt?: { monotonic: number } } }>(ChangeFeed);
  const from = performance.now();
  await until(() => poller.sentAt !== undefined && poller.sentAt.monotonic > from);
}
