import { LRUCache } from 'lru-cache';
import type { Change } from '../database/change-feed';
import type { UserGroupSnapshot } from './user-group-snapshot.repository';

/**
 * What has changed must be known everywhere within a second, so what the database said is believed
 * for less, counted from before the question was asked.
 */
const BELIEVED_MS = 750;
const MAX_FORGOTTEN = 1000;

/** What a reading is about: a group, or the group of a token, which only the answer tells. */
export interface Subject {
  /** The same for all who ask the same. */
  key: string;
  workspaceId: number;
  userGroupId?: number;
}

/** Asks the database. */
export type Ask = () => Promise<UserGroupSnapshot | undefined>;

/** A question to the database that is not answered yet. */
interface Reading extends Subject {
  askedAt: number;
  answer: Promise<UserGroupSnapshot | undefined>;
  /** The groups that have changed since it was asked. */
  changed: Set<number>;
  /** Whether anything may have changed. */
  isOutdated: boolean;
}

interface Kept {
  snapshot: UserGroupSnapshot;
  askedAt: number;
}

/**
 * Snapshots by the id of their group, within bounds of number and size. Nothing is answered that was
 * read longer ago than 750 ms, or before a change that this cache was told of.
 */
export class SnapshotCache {
  private readonly kept: LRUCache<number, Kept>;
  /** When what was known of a workspace stopped to be so. */
  private readonly forgotten = new Map<number, number>();
  /** All that are under way; a change must reach also those that nobody joins any more. */
  private readonly readings = new Set<Reading>();
  /** Those that a further caller may join. */
  private readonly open = new Map<string, Reading>();

  /** @param limits at most so many snapshots, of so many characters together */
  constructor(limits: { groups: number; characters: number }) {
    this.kept = new LRUCache({
      max: limits.groups,
      maxSize: limits.characters,
      sizeCalculation: ({ snapshot }) => snapshot.size,
    });
  }

  get size(): number {
    return this.kept.size;
  }

  get(userGroupId: number): UserGroupSnapshot | undefined {
    const kept = this.kept.get(userGroupId);
    return kept && this.isCurrent(kept) ? kept.snapshot : undefined;
  }

  /**
   * What `ask` answers, and keeps it. Callers who want the same at the same time share one question.
   * @param isFresh the question must not have been asked before this call
   */
  async read(subject: Subject, isFresh: boolean, ask: Ask): Promise<UserGroupSnapshot | undefined> {
    const open = this.open.get(subject.key);
    if (open && !isFresh && isBelieved(open.askedAt)) return open.answer;
    const askedAt = performance.now();
    const reading = {
      ...subject,
      askedAt,
      answer: ask(),
      changed: new Set<number>(),
      isOutdated: false,
    };
    this.readings.add(reading);
    this.open.set(subject.key, reading);
    try {
      const snapshot = await reading.answer;
      this.keep(reading, snapshot);
      return snapshot;
    } finally {
      this.readings.delete(reading);
      if (this.open.get(subject.key) === reading) this.open.delete(subject.key);
    }
  }

  /** What was read or asked for before this call is not answered to anyone who asks after it. */
  forget({ workspaceId, userGroupId }: Change): void {
    if (userGroupId === undefined) this.forgetWorkspace(workspaceId);
    else this.kept.delete(userGroupId);
    for (const reading of this.readings) {
      if (reading.workspaceId !== workspaceId) continue;
      if (userGroupId === undefined) reading.isOutdated = true;
      else if (reading.userGroupId === undefined) reading.changed.add(userGroupId);
      else if (reading.userGroupId === userGroupId) reading.isOutdated = true;
      else continue;
      this.close(reading);
    }
  }

  forgetAll(): void {
    this.forgotten.clear();
    this.kept.clear();
    this.open.clear();
    for (const reading of this.readings) reading.isOutdated = true;
  }

  /** Without looking for its groups: there may be thousands, and whoever announces may do so often. */
  private forgetWorkspace(workspaceId: number): void {
    if (this.forgotten.size >= MAX_FORGOTTEN) this.forgetAll();
    this.forgotten.set(workspaceId, performance.now());
  }

  private isCurrent({ askedAt, snapshot }: Kept): boolean {
    const forgottenAt = this.forgotten.get(snapshot.workspaceId) ?? -Infinity;
    return isBelieved(askedAt) && askedAt > forgottenAt;
  }

  /** Further callers ask anew. */
  private close(reading: Reading): void {
    if (this.open.get(reading.key) === reading) this.open.delete(reading.key);
  }

  private keep(reading: Reading, snapshot: UserGroupSnapshot | undefined): void {
    const { askedAt, changed, isOutdated, workspaceId } = reading;
    const id = snapshot?.userGroupId ?? reading.userGroupId;
    if (id === undefined || isOutdated || changed.has(id)) return;
    // Of two questions the later one may have been answered first.
    const kept = this.kept.peek(id);
    if (kept && kept.askedAt > askedAt) return;
    if (snapshot) this.kept.set(id, { snapshot, askedAt });
    else if (kept?.snapshot.workspaceId === workspaceId) this.kept.delete(id);
  }
}

function isBelieved(askedAt: number): boolean {
  return performance.now() - askedAt < BELIEVED_MS;
}
