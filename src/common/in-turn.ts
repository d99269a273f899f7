/** Does things one after another for each key: however many somebody asks for at once, others get their turn between. */
export class InTurn<Key> {
  private readonly last = new Map<Key, Promise<unknown>>();

  /** Does the work once what was asked for before is done, whatever came of that. @throws what the work throws */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const own = before.then(work);
    const settled = own.then(
      () => undefined,
      () => undefined,
    );
    this.last.set(key, settled);
    void settled.then(() => {
      if (this.last.get(key) === settled) this.last.delete(key);
    });
    return own;
  }
}
