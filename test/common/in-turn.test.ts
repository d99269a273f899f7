import { EventEmitter, once } from 'node:events';
import { inParts } from '../../src/platform/common/concurrency/in-parts.ts';
import { KeyedMutex } from '../../src/platform/common/concurrency/keyed-mutex.ts';

test('of one key things are done one after another, whatever becomes of them; other keys do not wait', async () => {
  const turns = new KeyedMutex<string>();
  const told: string[] = [];
  const gate = new EventEmitter();
  const first = turns.run('a', async () => {
    told.push('first began');
    await once(gate, 'open');
    throw new Error('first');
  });
  const second = turns.run('a', () => {
    told.push('second');
    return Promise.resolve(2);
  });
  expect(await turns.run('b', () => Promise.resolve('other'))).toBe('other');
  expect(told).toEqual(['first began']);
  gate.emit('open');
  await expect(first).rejects.toThrow('first');
  expect(await second).toBe(2);
  expect(await turns.run('a', () => Promise.resolve(3))).toBe(3);
});

test('other work is done between the parts of a filter, which lets the same pass', async () => {
  const items = Array.from({ length: 1000 }, (_, index) => index);
  let isDone = false;
  let others = 0;
  const beside = (): void => {
    if (isDone) return;
    others++;
    setImmediate(beside);
  };
  setImmediate(beside);
  const passed = await inParts(items, (part) => part.filter((item) => item % 3 === 0));
  isDone = true;
  expect(passed).toEqual(items.filter((item) => item % 3 === 0));
  expect(others).toBeGreaterThan(10);
});
