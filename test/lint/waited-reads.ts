// Cases that the rule `waited-reads` must report, and cases it must not.

interface Shown {
  count: () => Promise<number>;
  innerText: () => Promise<string>;
}

declare function expect(found: unknown): { toEqual: (wanted: unknown) => void };
declare function readUntil<T>(wanted: T, read: () => Promise<T>): Promise<T>;

export async function readsOnce(shown: Shown): Promise<void> {
  // eslint-disable-next-line local/waited-reads
  expect(await shown.count()).toEqual(1);
  // eslint-disable-next-line local/waited-reads
  expect((await shown.innerText()).trim()).toEqual('a');
  // eslint-disable-next-line local/waited-reads
  expect(['a', await shown.count()]).toEqual(['a', 1]);
}

declare function test(name: string, body: () => Promise<void>): void;

export function keepsWhatIsThereByChance(shown: Shown): void {
  test('once', async () => {
    // eslint-disable-next-line local/waited-reads
    const count = await shown.count();
    expect(count).toEqual(1);
  });
  test('again and again', async () => {
    const isOne = async () => {
      const count = await shown.count();
      return count === 1;
    };
    expect(await readUntil(true, isOne)).toEqual(true);
  });
}

export async function waits(shown: Shown): Promise<void> {
  expect(await readUntil(1, () => shown.count())).toEqual(1);
  expect(await readUntil('a', async () => (await shown.innerText()).trim())).toEqual('a');
}
