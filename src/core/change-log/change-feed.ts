export type Change =
  /** One user group, with its tokens. */
  | { workspaceId: number; userGroupId: number }
  /** A thing that all user groups of the workspace depend on, or API tokens of the workspace. */
  | { workspaceId: number; userGroupId?: undefined; of: 'user_groups' | 'api_tokens' };

/** A cache of the database. */
export interface ChangeListener {
  /** Drops the cached values that depend on the change. */
  invalidate: (change: Change) => void;
  /** Drops everything: changes may have been missed. */
  invalidateAll: () => void;
}

/** Invalidates caches, here and in other processes. */
export abstract class ChangeFeed implements ChangeListener {
  private readonly listeners = new Set<ChangeListener>();

  /**
   * Whether every change that any process committed at least 750 ms ago has reached the listeners. Must be checked
   * before each response from a cache; while it is false, the database must be read.
   */
  abstract isCurrent(): boolean;

  /**
   * Whether other processes' changes arrive at once; null if that needs no connection, none has been opened yet, or
   * none is available.
   */
  isConnected(): boolean | null {
    return null;
  }

  /** Publishes a change; must be called after each commit of a change that the change log has recorded. */
  announce(change: Change): void {
    this.invalidate(change);
  }

  /** Adds a listener for all later changes, unless it is there already. */
  subscribe(listener: ChangeListener): void {
    this.listeners.add(listener);
  }

  /** Sends the pending announcements, then closes its connections; takes two seconds at most. */
  async close(): Promise<void> {
    // Nothing to close within one process.
  }

  /** Tells the listeners of a change that the change log has; `announce` publishes one. */
  invalidate(change: Change): void {
    for (const listener of this.listeners) listener.invalidate(change);
  }

  /** Tells the listeners that changes may have been missed. */
  invalidateAll(): void {
    for (const listener of this.listeners) listener.invalidateAll();
  }
}
