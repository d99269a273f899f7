import { Turns } from '../../src/user-group/group/turns.ts';

/** Work whose first part, and whose rest, end when the test says so. */
function startTurns() {
  const turns = new Turns();
  const begun: string[] = [];
  const passes: Record<string, () => void> = {};
  const ends: Record<string, { resolve: () => void; reject: (error: Error) => void }> = {};
  const take = (name: string, workspaceId = 1) => {
    const taken = turns.take(workspaceId, (pass) => {
      begun.push(name);
      passes[name] = pass;
      return new Promise<void>((resolve, reject) => (ends[name] = { resolve, reject }));
    });
    taken.catch(() => undefined);
    return taken;
  };
  const { last: open } = turns as unknown as { last: Map<number, unknown> };
  return { begun, passes, ends, take, open };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('work begins when the work before it has passed its turn on, in the order of the calls', async () => {
  const { begun, passes, take } = startTurns();
  for (const name of ['a', 'b', 'c']) void take(name);
  await settled();
  expect(begun).toEqual(['a']);
  passes['a']!();
  await settled();
  expect(begun).toEqual(['a', 'b']);
  passes['b']!();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('work that ends or fails without passing its turn on holds up nobody', async () => {
  const { begun, ends, take } = startTurns();
  const failing = take('a');
  for (const name of ['b', 'c']) void take(name);
  await settled();
  ends['a']!.reject(new Error('the first'));
  await expect(failing).rejects.toThrow('the first');
  await settled();
  expect(begun).toEqual(['a', 'b']);
  ends['b']!.resolve();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('workspaces do not wait for each other, and none is remembered', async () => {
  const { begun, ends, take, open } = startTurns();
  const all = [take('a', 1), take('b', 2)];
  await settled();
  expect(begun).toEqual(['a', 'b']);
  for (const { resolve } of Object.values(ends)) resolve();
  await Promise.all(all);
  expect(open.size).toBe(0);
});
