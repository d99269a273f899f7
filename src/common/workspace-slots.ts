import type { Caller } from './caller.ts';
import { TooManyAtOnce } from './errors.ts';
import { Gate } from './gate.ts';

/**
 * Bounds how many calls of one kind run at once in this process for one workspace. The operator at
 * the command line is not counted.
 */
export class WorkspaceSlots {
  private readonly taken = new Map<number, number>();
  /** So that a flood of refusals leaves time to others. */
  private readonly asking = new Gate();

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
    // eslint-disable-next-line @typescript-eslint/require-await -- it fails as a promise does
    await this.asking.run(workspaceId, async () => {
      this.take(workspaceId);
    });
    try {
      yield* rows;
    } finally {
      this.free(workspaceId);
    }
  }

  /** @throws TooManyAtOnce */
  private take(workspaceId: number): void {
    const running = this.taken.get(workspaceId) ?? 0;
    if (running >= this.limit) throw new TooManyAtOnce(this.limit, this.what);
    this.taken.set(workspaceId, running + 1);
  }

  private free(workspaceId: number): void {
    const running = this.taken.get(workspaceId)! - 1;
    if (running === 0) this.taken.delete(workspaceId);
    else this.taken.set(workspaceId, running);
  }
}
