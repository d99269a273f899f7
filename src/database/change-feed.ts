/** What a committed write has changed: one group, or something that every group of a workspace depends on. */
export interface Change {
  workspaceId: number;
  /** Undefined: all of them. */
  userGroupId?: number;
}

/** Remembers something about user groups, and forgets it when told. */
export interface ChangeListener {
  /** This is no longer as it was. */
  changed: (change: Change) => void;
  /** Changes may have gone unheard: nothing remembered can be believed. */
  missed: () => void;
}

/** Tells those who remember something about user groups that it is no longer so. */
export abstract class ChangeFeed {
  private readonly listeners: ChangeListener[] = [];

  /** Whether other processes' changes are heard of at once; null where there is no connection to lose, or none is needed yet. */
  isConnected(): boolean | null {
    return null;
  }

  /** To be called before anything remembered is answered: tells of other processes' changes where they have to be asked for. */
  hearOfOthers(): void {
    // Where they are sent there is nothing to ask for.
  }

  /** To be called after the commit, by whoever changes what an introspection answers. */
  announce(change: Change): void {
    this.tell(change);
  }

  /** From now on the listener is told of every change that is heard of. */
  subscribe(listener: ChangeListener): void {
    this.listeners.push(listener);
  }

  /** Sends what is announced and not yet sent, then closes what it has opened. Takes two seconds at most. */
  async close(): Promise<void> {
    // There is nothing to close within one process.
  }

  protected tell(change: Change): void {
    for (const listener of this.listeners) listener.changed(change);
  }

  protected tellMissed(): void {
    for (const listener of this.listeners) listener.missed();
  }
}
