import { ExtensionUnavailable } from '../../../platform/common/problem/errors.ts';

interface Waiting {
  workspaceId: number;
  begin: () => void;
}

/** Leaves half of the connections of a process to writes without a guard. */
const AT_ONCE = 5;
/** Limit in milliseconds of the wait for a turn: longer than the previous guards may take. */
export const TURN_LIMIT = { waitMs: 2000 };

/**
 * Bounds the transactions that ask guards: one of a workspace at a time, so that a guard that hangs for one workspace
 * leaves the others their connections.
 */
export class GuardedTurns {
  private readonly busy = new Set<number>();
  private waiting: Waiting[] = [];
  /** When workspaces that still wait last had a turn, by `performance.now()`. */
  private readonly lastTurns = new Map<number, number>();

  /** @throws ExtensionUnavailable if the turn does not come in time; errors of `work` */
  async take<T>(workspaceId: number, work: () => Promise<T>): Promise<T> {
    await this.begin(workspaceId);
    try {
      return await work();
    } finally {
      this.busy.delete(workspaceId);
      const isWaiting = this.waiting.some((one) => one.workspaceId === workspaceId);
      if (isWaiting) this.lastTurns.set(workspaceId, performance.now());
      else this.lastTurns.delete(workspaceId);
      this.pass();
    }
  }

  private begin(workspaceId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { workspaceId, begin: () => undefined };
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((one) => one !== waiting);
        reject(new ExtensionUnavailable());
      }, TURN_LIMIT.waitMs);
      waiting.begin = () => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.push(waiting);
      this.pass();
    });
  }

  /** Lets those begin whose workspaces have waited longest for a turn. */
  private pass(): void {
    const lastTurn = ({ workspaceId }: Waiting) => this.lastTurns.get(workspaceId) ?? 0;
    this.waiting = this.waiting
      .toSorted((one, other) => lastTurn(one) - lastTurn(other))
      .filter(({ workspaceId, begin }) => {
        if (this.busy.size >= AT_ONCE || this.busy.has(workspaceId)) return true;
        this.busy.add(workspaceId);
        begin();
        return false;
      });
  }
}
