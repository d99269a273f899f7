/** Runs `action` for each item, `atOnce` of them at a time, until one fails. No action is under way when it returns. */
export async function each<T>(
  items: readonly T[],
  atOnce: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await action(item);
  };
  const workers = Array.from({ length: atOnce }, () =>
    work().catch((error: unknown) => {
      left.length = 0;
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}
