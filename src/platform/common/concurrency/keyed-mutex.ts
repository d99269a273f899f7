/** Runs the work of each key one after another; other keys get their turn in between. */
export class KeyedMutex<Key> {
  private readonly last = new Map<Key, Promise<unknown>>();

  /** Runs the work after all earlier work of the key, whether that succeeded or failed. @throws the errors of `work` */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const own = before.then(work);
    const settled = own.catch(() => undefined);
    this.last.set(key, settled);
    void settled.then(() => {
      if (this.last.get(key) === settled) this.last.delete(key);
    });
    return own;
  }
}
