/** What a committed write has changed: one user group, or something that all those of a workspace depend on. */
export interface Change {
  workspaceId: number;
  /** Undefined for every group of the workspace. */
  userGroupId?: number;
}

/** A cache of user groups. */
export interface ChangeListener {
  /** Drops what it holds of the changed groups. */
  invalidate: (change: Change) => void;
  /** Drops everything: changes may have been missed. */
  invalidateAll: () => void;
}

/** Invalidates caches of user groups, here and in other processes. */
export abstract class ChangeFeed {
  private readonly listeners: ChangeListener[] = [];

  /** Whether other processes' changes arrive at once; null where that needs no connection, or none has been opened yet. */
  isConnected(): boolean | null {
    return null;
  }

  /** Looks for other processes' changes, where they are not sent; to be called before each answer from a cache. */
  poll(): void {
    // Where changes are sent there is nothing to look for.
  }

  /** Makes a change known; to be called after each commit that changes what an introspection answers. */
  announce(change: Change): void {
    this.invalidate(change);
  }

  /** Adds a listener for all later changes. */
  subscribe(listener: ChangeListener): void {
    this.listeners.push(listener);
  }

  /** Sends the announcements that are still pending, then closes its connections; takes two seconds at most. */
  async close(): Promise<void> {
    // Within one process there is nothing to close.
  }

  protected invalidate(change: Change): void {
    for (const listener of this.listeners) listener.invalidate(change);
  }

  protected invalidateAll(): void {
    for (const listener of this.listeners) listener.invalidateAll();
  }
}
