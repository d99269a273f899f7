import { ExtensionUnavailable } from '../../common/errors.ts';

interface Waiting {
  workspaceId: number;
  begin: () => void;
}

/** Leaves half of the connections of a process to what no guard is asked about. */
const AT_ONCE = 5;
/** Longer than the guards before may take. */
const MAX_WAIT_MS = 2000;

/**
 * Bounds the transactions in which guards are asked: one of a workspace at a time, so that a guard that hangs for
 * one workspace leaves the others their connections.
 */
export class GuardedTurns {
  private readonly busy = new Set<number>();
  private waiting: Waiting[] = [];

  /** @throws ExtensionUnavailable if the turn does not come in time; what `work` throws */
  async take<T>(workspaceId: number, work: () => Promise<T>): Promise<T> {
    await this.begin(workspaceId);
    try {
      return await work();
    } finally {
      this.busy.delete(workspaceId);
      this.pass();
    }
  }

  private begin(workspaceId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { workspaceId, begin: () => undefined };
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((one) => one !== waiting);
        reject(new ExtensionUnavailable());
      }, MAX_WAIT_MS);
      waiting.begin = () => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.push(waiting);
      this.pass();
    });
  }

  /** Begins what has waited longest and can begin. */
  private pass(): void {
    this.waiting = this.waiting.filter(({ workspaceId, begin }) => {
      if (this.busy.size >= AT_ONCE || this.busy.has(workspaceId)) return true;
      this.busy.add(workspaceId);
      begin();
      return false;
    });
  }
}
