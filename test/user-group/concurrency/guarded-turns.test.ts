import { GuardedTurns } from '../../../src/core/user-group/guard/guarded-turns.ts';

test('a workspace that waits for its first turn goes before those that had one', async () => {
  const turns = new GuardedTurns();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (workspaceId: number, name: string) =>
    turns.take(workspaceId, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const slow = [1, 2, 3, 4, 5].flatMap((id) => [take(id, `${id} first`), take(id, `${id} second`)]);
  const other = take(6, 'other');
  await new Promise(setImmediate);
  expect(begun).toEqual(['1 first', '2 first', '3 first', '4 first', '5 first']);
  ends.get('1 first')!();
  await new Promise(setImmediate);
  expect(begun.at(-1)).toBe('other');
  while (begun.length < 11 || ends.size > 0) {
    for (const end of ends.values()) end();
    ends.clear();
    await new Promise(setImmediate);
  }
  await Promise.all([...slow, other]);
});
