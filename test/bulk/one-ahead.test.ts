import { setImmediate as settled } from 'node:timers/promises';
import { oneAhead } from '../../src/features/bulk/one-ahead.ts';

/** Work that ends when the test says so. */
function startWork() {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: (value: string) => void; reject: (e: Error) => void }>();
  const work = (item: string) => {
    begun.push(item);
    return new Promise<string>((resolve, reject) => ends.set(item, { resolve, reject }));
  };
  return {
    begun,
    work,
    end: (item: string) => {
      ends.get(item)!.resolve(item.toUpperCase());
    },
    fail: (item: string) => {
      ends.get(item)!.reject(new Error(`${item} failed`));
    },
  };
}

async function* arriving(...items: (string | Promise<string>)[]): AsyncGenerator<string> {
  for (const item of items) yield await item;
}

const never = new Promise<string>(() => undefined);

test('two items are worked on at once, a third waits; results come in order', async () => {
  const { begun, work, end } = startWork();
  const results = oneAhead(arriving('a', 'b', 'c'), work);
  const first = results.next();
  await settled();
  expect(begun).toEqual(['a', 'b']);
  end('b');
  await settled();
  expect(begun).toEqual(['a', 'b']);
  end('a');
  expect(await first).toEqual({ done: false, value: 'A' });
  const second = results.next();
  expect(await second).toEqual({ done: false, value: 'B' });
  const third = results.next();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c']);
  end('c');
  expect(await third).toEqual({ done: false, value: 'C' });
  expect(await results.next()).toEqual({ done: true, value: undefined });
});

test('a result does not wait for the next item to come', async () => {
  const { work, end } = startWork();
  const results = oneAhead(arriving('a', never), work);
  const first = results.next();
  await settled();
  end('a');
  expect(await first).toEqual({ done: false, value: 'A' });
});

test('an error of the items comes behind the results of those before', async () => {
  const { work, end } = startWork();
  const results = oneAhead(arriving('a', Promise.reject(new Error('cut off'))), work);
  const first = results.next();
  await settled();
  end('a');
  expect(await first).toEqual({ done: false, value: 'A' });
  await expect(results.next()).rejects.toThrow('cut off');
});

test('an error of the work ends it when nothing is under way any more', async () => {
  const { work, end, fail } = startWork();
  const results = oneAhead(arriving('a', 'b', never), work);
  let hasEnded = false;
  const first = results.next().finally(() => (hasEnded = true));
  first.catch(() => undefined);
  await settled();
  fail('a');
  await settled();
  expect(hasEnded).toBe(false);
  end('b');
  await expect(first).rejects.toThrow('a failed');
});

test('who stops reading waits for what is under way', async () => {
  const { work, end } = startWork();
  const results = oneAhead(arriving('a', 'b', never), work);
  const first = results.next();
  await settled();
  end('a');
  await first;
  let hasEnded = false;
  const stopped = results.return(undefined).then(() => (hasEnded = true));
  await settled();
  expect(hasEnded).toBe(false);
  end('b');
  await stopped;
});
