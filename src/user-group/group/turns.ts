/** Lets work of each workspace overlap, but for the first part of it, which is done in the order of the calls. */
export class Turns {
  /** By workspace: resolves when the first part of what came last is over. */
  private readonly last = new Map<number, Promise<void>>();

  /**
   * Runs `work` once what came before it has passed its turn on, or has ended.
   * @param work is given what passes the turn on
   */
  async take<T>(workspaceId: number, work: (pass: () => void) => Promise<T>): Promise<T> {
    const before = this.last.get(workspaceId);
    let pass!: () => void;
    const mine = new Promise<void>((resolve) => (pass = resolve));
    this.last.set(workspaceId, mine);
    try {
      await before;
      return await work(pass);
    } finally {
      pass();
      if (this.last.get(workspaceId) === mine) this.last.delete(workspaceId);
    }
  }
}
