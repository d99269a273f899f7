/**
 * Returns the promise, which now ends nothing when it is rejected before it is awaited. Each promise that is
 * kept while something else is awaited needs that; its awaiter still gets the error.
 */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
