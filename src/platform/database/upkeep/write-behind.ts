import { handled } from '../../common/concurrency/handled.ts';

/** Writes collected data, one write at a time, without delaying calls. */
export class WriteBehind {
  private underWay: Promise<boolean> | undefined;

  /** @param write resolves to false, and keeps its data, if it failed */
  constructor(private readonly write: () => Promise<boolean>) {}

  /** Writes, or waits for the write that is running. */
  now(): Promise<boolean> {
    this.underWay ??= handled(
      this.write().finally(() => {
        this.underWay = undefined;
      }),
    );
    return this.underWay;
  }

  /** Writes the rest, too, unless the running write fails: the next one would fail as slowly. */
  async last(): Promise<void> {
    if (this.underWay && !(await this.underWay)) return;
    await this.now();
  }
}
