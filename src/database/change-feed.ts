/** What a committed write has changed. */
export type Change =
  /** One user group, with its tokens. */
  | { workspaceId: number; userGroupId: number }
  /** Something that all user groups of the workspace depend on, or API tokens of the workspace. */
  | { workspaceId: number; userGroupId?: undefined; of: 'user_groups' | 'api_tokens' };

/** A cache of what is in the database. */
export interface ChangeListener {
  /** Drops what it holds of what has changed. */
  invalidate: (change: Change) => void;
  /** Drops everything: changes may have been missed. */
  invalidateAll: () => void;
}

/** Invalidates caches, here and in other processes. */
export abstract class ChangeFeed {
  private readonly listeners: ChangeListener[] = [];

  /**
   * Whether every change that was committed 750 ms ago or earlier, by whichever process, has reached the
   * listeners. To be asked before each answer from a cache; while it is not so, the database has to be
   * asked.
   */
  abstract isCurrent(): boolean;

  /**
   * Whether other processes' changes arrive at once; null where that needs no connection, none has been
   * opened yet, or none can be had.
   */
  isConnected(): boolean | null {
    return null;
  }

  /** Makes a change known; to be called after each commit of a change, which the change log has recorded. */
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
