import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import { TooManyAtOnce } from './errors.ts';

/** A client that asks again at once would otherwise take the process for its refusals. */
const REFUSED_AFTER_MS = 500;

/**
 * Bounds how many calls of one kind run at once in this process for one workspace. The operator at
 * the command line is not counted.
 */
export class WorkspaceSlots {
  private readonly taken = new Map<number, number>();

  /** @param limit how many of `what`, such as "exports of the workspace", may run at once */
  constructor(
    private readonly limit: number,
    private readonly what: string,
  ) {}

  /**
   * Yields the groups of `rows`; takes a slot when the first is requested, and frees it after the
   * last or when the consumer stops.
   * @throws TooManyAtOnce
   */
  async *within<T>({ workspaceId, apiTokenId }: Caller, rows: AsyncIterable<T>): AsyncGenerator<T> {
    if (apiTokenId === null) {
      yield* rows;
      return;
    }
    if ((this.taken.get(workspaceId) ?? 0) >= this.limit) {
      await sleep(REFUSED_AFTER_MS);
      throw new TooManyAtOnce(this.limit, this.what);
    }
    this.taken.set(workspaceId, (this.taken.get(workspaceId) ?? 0) + 1);
    try {
      yield* rows;
    } finally {
      this.free(workspaceId);
    }
  }

  private free(workspaceId: number): void {
    const running = this.taken.get(workspaceId)! - 1;
    if (running === 0) this.taken.delete(workspaceId);
    else this.taken.set(workspaceId, running);
  }
}
