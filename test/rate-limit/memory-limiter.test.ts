import { MemoryLimiter } from '../../src/common/memory-limiter.ts';

test('of more keys than it can keep it forgets those that were idle longest, with their timers', async () => {
  const limiter = new MemoryLimiter({ points: 2, duration: 60 });
  await limiter.consume('busy', 2);
  await limiter.consume('idle', 2);
  for (let n = 0; n < 30_000; n++) {
    await limiter.consume(`2001:db8:0:${n.toString(16)}::/64`);
    if (n % 1000 === 0) await limiter.consume('busy').catch(() => undefined);
  }
  const { storage } = limiter.dump();
  expect(storage).toHaveLength(10_000);
  await expect(limiter.consume('busy')).rejects.toMatchObject({ remainingPoints: 0 });
  await expect(limiter.consume('idle')).resolves.toMatchObject({ remainingPoints: 1 });
});
