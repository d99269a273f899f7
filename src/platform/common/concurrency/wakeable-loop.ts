import { handled } from './handled.ts';

/** A loop goes on even if `onFailure` throws. */
const AFTER_A_FAULT_MS = 1000;

/** Looks for work repeatedly, and earlier when it is woken; one look at a time. Its timer keeps no process alive. */
export class WakeableLoop {
  /** Number of looks in a row that have failed. */
  failures = 0;
  private timer: NodeJS.Timeout | undefined;
  /** The time of the next look, by `performance.now()`. */
  private dueAt = Infinity;
  private looking: Promise<void> | undefined;
  private wakes = 0;
  private isStopped = false;

  /**
   * @param look gets the time at which it was due, by `performance.now()`; returns in how many milliseconds to look
   *   again, or undefined to wait until it is woken
   * @param onFailure takes the error of a look that has failed, returns as `look`, and never rejects
   */
  constructor(
    private readonly look: (dueAt: number) => Promise<number | undefined>,
    private readonly onFailure: (error: unknown) => number | undefined | Promise<number>,
  ) {}

  /** Looks again within this time, never later than it was going to. During a look, what that returns counts. */
  wake(afterMs: number): void {
    this.wakes++;
    if (this.isStopped || this.looking) return;
    const dueAt = performance.now() + afterMs;
    if (this.dueAt <= dueAt) return;
    clearTimeout(this.timer);
    this.dueAt = dueAt;
    this.timer = setTimeout(() => {
      this.dueAt = Infinity;
      this.looking = handled(this.run(dueAt));
    }, afterMs).unref();
  }

  /** Looks no more. Resolves when the look under way has ended; never rejects. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private async run(dueAt: number): Promise<void> {
    const { wakes } = this;
    let nextMs: number | undefined = AFTER_A_FAULT_MS;
    try {
      nextMs = await this.look(dueAt);
      this.failures = 0;
    } catch (error) {
      this.failures++;
      nextMs = await this.onFailure(error);
    } finally {
      this.looking = undefined;
      if (nextMs !== undefined || this.wakes !== wakes) this.wake(nextMs ?? 0);
    }
  }
}
