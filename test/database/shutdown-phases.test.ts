import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  onDrained,
  onFlush,
  ShutdownPhasesModule,
  type OnDrained,
  type OnFlush,
} from '../../src/platform/database/upkeep/shutdown-phases.ts';
import { WriteBehind } from '../../src/platform/database/upkeep/write-behind.ts';
import { until } from '../support/time/until.ts';

test('at the end all finish at once, and those that do not are given up; then the rest is written', async () => {
  const done: string[] = [];
  const working = (name: string, work: () => Promise<void>) => {
    @Injectable()
    class Worker implements OnDrained {
      async [onDrained](): Promise<void> {
        done.push(`${name} begun`);
        await work();
        done.push(`${name} finished`);
      }
    }
    return Worker;
  };
  @Injectable()
  class Count implements OnFlush {
    [onFlush](): Promise<void> {
      done.push('written');
      return Promise.resolve();
    }
  }
  const never = working('endless', () => new Promise(() => undefined));
  const refused = working('refused', () => Promise.reject(new Error('refused')));
  const slow = working('slow', () => until(() => done.length >= 3));
  @Module({ providers: [slow, { provide: 'alias', useExisting: slow }] })
  class Inner {}
  @Module({ imports: [ShutdownPhasesModule, Inner], providers: [Count, never, refused] })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  await app.close();
  expect(done.slice(0, 3).toSorted()).toEqual(['endless begun', 'refused begun', 'slow begun']);
  expect(done.slice(3)).toEqual(['slow finished', 'written']);
});

test('writes one at a time, and at the end the rest', async () => {
  const writes: ((isWritten: boolean) => void)[] = [];
  const writing = new WriteBehind(() => new Promise((resolve) => writes.push(resolve)));
  const [one, other] = [writing.now(), writing.now()];
  const last = writing.last();
  expect(writes).toHaveLength(1);
  writes[0]!(true);
  expect(await Promise.all([one, other])).toEqual([true, true]);
  await new Promise(setImmediate);
  expect(writes).toHaveLength(2);
  writes[1]!(true);
  await last;
});

test('at the end does not try again what has just failed', async () => {
  let writes = 0;
  const writing = new WriteBehind(() => {
    writes++;
    return Promise.resolve(false);
  });
  void writing.now();
  await writing.last();
  expect(writes).toBe(1);
  // A failure before does not count.
  await writing.last();
  expect(writes).toBe(2);
});
