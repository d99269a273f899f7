import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { TokenUses } from '../../../core/embed-token/token-uses.ts';
import { currentTime, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/common/time.ts';
import { type OnFlush, onFlush } from '../../../platform/database/upkeep/shutdown-phases.ts';
import { WriteBehind } from '../../../platform/database/upkeep/write-behind.ts';
import { EmbedTokenRefusals } from '../limits/embed-token-refusals.ts';
import { type UsageAddition, UsageCounter } from './usage-counter.ts';

const WRITE_EVERY_MS = MINUTE_MS;
/** Groups and users whose counts are one transaction: small enough that nobody waits long for the one writer of SQLite. */
const MAX_TOGETHER = 500;
/** Groups and users in memory, before they are written sooner. */
const MAX_KEPT = 20_000;
/** Transactions that wait while the database refuses them. */
const MAX_WAITING = 400;

interface Tallied extends UsageAddition {
  embedTokens: number;
  introspections: number;
  users: Set<string>;
}

/** The users of groups that have none, which stays empty: a set of its own for each group would be most of the memory. */
const NOBODY = new Set<string>();

/** Counts of a transaction, with the id by which they are counted once, even if its outcome is unknown. */
interface Waiting {
  batchId: string;
  additions: readonly Tallied[];
}

/**
 * Counts issued tokens and introspections in memory, and adds them to the tables once a minute and at the end. Counts
 * that could not be written are kept for the next time; a process that is killed loses those of a minute.
 */
@Injectable()
export class UsageTally extends TokenUses implements OnApplicationBootstrap, OnFlush {
  private readonly logger = new Logger(UsageTally.name);
  private hour = 0;
  /** Counts of the hour, by group. */
  private counts = new Map<number, Tallied>();
  /** Groups and users in `counts`. */
  private size = 0;
  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly writing = new WriteBehind(() => this.write());
  /** Logs one warning for each outage. */
  private isFailing = false;

  constructor(
    private readonly counter: UsageCounter,
    private readonly refusals: EmbedTokenRefusals,
  ) {
    super();
  }

  override admit(userGroupId: number): void {
    this.refusals.admit(userGroupId);
  }

  override count(
    use: 'embedTokens' | 'introspections',
    { workspaceId, userGroupId }: { workspaceId: number; userGroupId: number },
    userId?: string,
  ): void {
    const sinceHour = currentTime() - this.hour;
    if (sinceHour >= HOUR_MS || sinceHour < 0) this.setAside();
    if (this.size >= MAX_KEPT) {
      // A write that hangs must not hold up what bounds the memory.
      this.setAside();
      void this.flush();
    }
    let tallied = this.counts.get(userGroupId);
    if (!tallied) {
      const none = { embedTokens: 0, introspections: 0, users: NOBODY };
      tallied = { workspaceId, userGroupId, at: this.hour, ...none };
      this.counts.set(userGroupId, tallied);
      this.size++;
    }
    tallied[use]++;
    if (userId === undefined || tallied.users.has(userId)) return;
    if (tallied.users === NOBODY) tallied.users = new Set();
    tallied.users.add(userId);
    this.size++;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  async [onFlush](): Promise<void> {
    clearInterval(this.timer);
    await this.writing.last();
  }

  /** Writes the counts, or waits for the write that is running. */
  async flush(): Promise<void> {
    await this.writing.now();
  }

  private async write(): Promise<boolean> {
    this.setAside();
    try {
      for (let next = this.waiting[0]; next; next = this.waiting[0]) {
        await this.add(next);
        this.waiting.shift();
      }
      this.isFailing = false;
    } catch (err) {
      if (!this.isFailing) this.logger.warn({ msg: 'usage not written yet', err });
      this.isFailing = true;
    }
    return !this.isFailing;
  }

  private async add({ batchId, additions }: Waiting): Promise<void> {
    const bodyHash = Buffer.alloc(0);
    const expiresAt = currentTime() + 2 * DAY_MS;
    const batch = { workspaceId: 0, batchId, bodyHash, result: '{}', expiresAt };
    await this.counter.addOnce(batch, additions);
  }

  /** New counts belong to the present hour. */
  private setAside(): void {
    const counted = [...this.counts.values()];
    const now = currentTime();
    this.hour = now - (now % HOUR_MS);
    this.counts = new Map();
    this.size = 0;
    let together: Tallied[] = [];
    let size = 0;
    for (const tallied of counted.flatMap(partsOf)) {
      if (size === 0) {
        together = [];
        this.waiting.push({ batchId: randomUUID(), additions: together });
      }
      together.push(tallied);
      size += 1 + tallied.users.size;
      if (size >= MAX_TOGETHER) size = 0;
    }
    // The first may be under way.
    const lost = this.waiting.splice(1, Math.max(0, this.waiting.length - MAX_WAITING));
    if (lost.length === 0) return;
    const groups = lost.reduce((sum, { additions }) => sum + additions.length, 0);
    this.logger.warn({ msg: 'usage lost, because it could not be written', groups });
  }
}

/** Splits the users of a group, of which a transaction has few. */
function partsOf(tallied: Tallied): Tallied[] {
  const users = [...tallied.users];
  const parts = [{ ...tallied, users: new Set(users.slice(0, MAX_TOGETHER)) }];
  for (let from = MAX_TOGETHER; from < users.length; from += MAX_TOGETHER) {
    const more = new Set(users.slice(from, from + MAX_TOGETHER));
    parts.push({ ...tallied, embedTokens: 0, introspections: 0, users: more });
  }
  return parts;
}
