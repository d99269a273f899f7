/**
 * Bounds the calls that run at once, and shares their turns between the owners of the calls: each owner that waits has
 * one in turn, however many calls it has.
 */
export class FairQueue<Owner> {
  private running = 0;
  private readonly runningOf = new Map<Owner, number>();
  /** Functions that begin a call; the owner that was served last comes last. */
  private readonly waiting = new Map<Owner, Set<() => void>>();

  /** @param ofOwner maximum of calls of one owner at once */
  constructor(
    readonly atOnce: number,
    private readonly ofOwner = atOnce,
  ) {}

  get isIdle(): boolean {
    return this.running === 0;
  }

  get isAwaited(): boolean {
    return this.waiting.size > 0;
  }

  /** Begins a call of the owner now, if a turn is free for it. */
  tryBegin(owner: Owner): boolean {
    if (!this.hasRoomFor(owner)) return false;
    this.count(owner, 1);
    return true;
  }

  /** Calls `begin` when a call of the owner can begin. @returns a function that gives up */
  wait(owner: Owner, begin: () => void): () => void {
    const calls = this.waiting.get(owner) ?? new Set();
    this.waiting.set(owner, calls.add(begin));
    return () => {
      calls.delete(begin);
      if (calls.size === 0 && this.waiting.get(owner) === calls) this.waiting.delete(owner);
    };
  }

  /** Ends a call of the owner, and begins the next one. */
  end(owner: Owner): void {
    this.count(owner, -1);
    for (const [next, calls] of this.waiting) {
      if (!this.hasRoomFor(next)) continue;
      const [begin] = calls;
      calls.delete(begin!);
      this.waiting.delete(next);
      if (calls.size > 0) this.waiting.set(next, calls);
      this.count(next, 1);
      begin!();
      return;
    }
  }

  private hasRoomFor(owner: Owner): boolean {
    return this.running < this.atOnce && (this.runningOf.get(owner) ?? 0) < this.ofOwner;
  }

  private count(owner: Owner, change: 1 | -1): void {
    this.running += change;
    const count = (this.runningOf.get(owner) ?? 0) + change;
    if (count === 0) this.runningOf.delete(owner);
    else this.runningOf.set(owner, count);
  }
}
