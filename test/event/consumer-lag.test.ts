import { ChangeRetention } from '../../src/core/change-log/change-retention.ts';

const MINUTE_MS = 60_000;

afterEach(() => jest.useRealTimers());

test('the lag of a consumer is measured at the start and then once a minute, also after a failure', async () => {
  jest.useFakeTimers();
  const retention = new ChangeRetention(
    undefined as never,
    undefined as never,
    { eventRetentionHours: 1 } as never,
    undefined as never,
  );
  let read = Date.now() - 3 * 60 * MINUTE_MS;
  let isDown = false;
  const readUntil = () =>
    isDown ? Promise.reject(new Error('the database is down')) : Promise.resolve(read);
  retention.keepFor({ name: 'webhooks', readUntil });
  await jest.advanceTimersByTimeAsync(0);
  expect(retention.lagSeconds['webhooks']).toBe(3 * 3600);
  isDown = true;
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  expect(retention.lagSeconds['webhooks']).toBe(3 * 3600);
  isDown = false;
  read = Date.now();
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  expect(retention.lagSeconds['webhooks']).toBe(60);
  retention.onModuleDestroy();
  expect(jest.getTimerCount()).toBe(0);
});
