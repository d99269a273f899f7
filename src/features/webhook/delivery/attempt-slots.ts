/** Attempts at the endpoints of one workspace, and at those of all. */
const MAX_PER_WORKSPACE = 100;
const MOST = 500;
/** Attempts at endpoints whose last attempt failed; the others stay free for endpoints that respond. */
const MAX_PROBES = MOST / 2;

export interface HeldSlots {
  workspaceId: number;
  count: number;
  /** Releases all but `count` slots. */
  keep: (count: number) => void;
  release: () => void;
}

/**
 * Shares the attempts of a process between workspaces: hanging endpoints leave room for responsive ones. A workspace
 * without any attempt always gets one, so that other workspaces cannot take all of them.
 */
export class AttemptSlots {
  private readonly ofWorkspaces = new Map<number, number>();
  private total = 0;
  private probes = 0;

  /**
   * Acquires slots for attempts at one endpoint; returns undefined if there are none.
   * @param hasResponded whether the endpoint has responded to its last attempt
   */
  acquire(
    workspaceId: number,
    { hasResponded, wanted }: { hasResponded: boolean; wanted: number },
  ): HeldSlots | undefined {
    const ofWorkspace = this.ofWorkspaces.get(workspaceId) ?? 0;
    const ofKind = hasResponded ? MOST : MAX_PROBES - this.probes;
    const first = ofWorkspace === 0 && this.total < 2 * MOST ? 1 : 0;
    const left = Math.max(Math.min(MOST - this.total, ofKind), first);
    const count = Math.min(wanted, MAX_PER_WORKSPACE - ofWorkspace, left);
    if (count <= 0) return undefined;
    const add = (more: number): void => {
      const held = (this.ofWorkspaces.get(workspaceId) ?? 0) + more;
      if (held > 0) this.ofWorkspaces.set(workspaceId, held);
      else this.ofWorkspaces.delete(workspaceId);
      this.total += more;
      if (!hasResponded) this.probes += more;
    };
    add(count);
    const slots = {
      workspaceId,
      count,
      keep: (kept: number): void => {
        add(kept - slots.count);
        slots.count = kept;
      },
      release: (): void => {
        slots.keep(0);
      },
    };
    return slots;
  }
}
