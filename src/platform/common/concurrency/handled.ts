/**
 * Returns the promise with a handler, so that a rejection before it is awaited does not end the process. Needed for
 * each promise that is kept while something else is awaited; its awaiter still gets the error.
 */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
