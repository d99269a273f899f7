/**
 * Awaits what the service promises within a time. With `LONG_TESTS`, on a machine that does nothing else, it has to keep
 * to that; without, the work has to be done at all.
 */
export async function promised<T>(withinMs: number, work: Promise<T>): Promise<T> {
  if (!process.env['LONG_TESTS']) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`not within ${withinMs} ms, as is promised`));
    }, withinMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
