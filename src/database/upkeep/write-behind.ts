import { handled } from '../../common/handled.ts';

/** Writes what has gathered, one write at a time, behind the calls. */
export class WriteBehind {
  private underWay: Promise<boolean> | undefined;

  /** @param write whether it could; keeps what it could not */
  constructor(private readonly write: () => Promise<boolean>) {}

  /** Writes, unless a write is under way: then waits for that one. */
  now(): Promise<boolean> {
    this.underWay ??= handled(
      this.write().finally(() => {
        this.underWay = undefined;
      }),
    );
    return this.underWay;
  }

  /** Writes the rest, too, unless the write under way fails: the next one would, as slowly. */
  async last(): Promise<void> {
    if (this.underWay && !(await this.underWay)) return;
    await this.now();
  }
}
