/**
 * Waits for a promise for a limited time.
 * @throws the error of `late` if the promise is not settled by then; its later result is ignored
 */
export async function within<T>(
  limitMs: number,
  promise: Promise<T>,
  late: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // A result that came while the process was busy is read before the immediate runs.
      setImmediate(() => reject(late()));
    }, limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
