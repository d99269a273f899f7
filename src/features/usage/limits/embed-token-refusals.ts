import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ChangeFeed, type ChangeListener } from '../../../core/change-log/change-feed.ts';
import { handled } from '../../../platform/common/concurrency/handled.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { QuotaReached } from '../usage.errors.ts';
import { periodOf } from '../usage-periods.ts';

/** A group that gets no more embed tokens until a time. */
export interface EmbedTokenRefusal {
  userGroupId: number;
  refusedUntil: number;
}

const listRefusals = statement<{ now: number }, EmbedTokenRefusal>(
  'usage.list-refusals',
  () => `
    SELECT l.user_group_id AS "userGroupId", l.refused_until AS "refusedUntil" FROM usage_limit l
    WHERE l.refused_until > CAST(:now AS bigint)`,
);

const findRefusal = statement<{ userGroupId: number; now: number }, EmbedTokenRefusal>(
  'usage.find-refusal',
  () => `
    SELECT l.user_group_id AS "userGroupId", l.refused_until AS "refusedUntil" FROM usage_limit l
    WHERE l.user_group_id = :userGroupId AND l.refused_until > CAST(:now AS bigint)`,
);

/**
 * Keeps in memory which groups get no more embed tokens, so that issuing one reads nothing. A process learns of a group when
 * it writes the counts of that group, and forgets it as soon as its limits are changed.
 */
@Injectable()
export class EmbedTokenRefusals implements OnApplicationBootstrap {
  private readonly logger = new Logger(EmbedTokenRefusals.name);
  private readonly until = new Map<number, number>();
  /** One after the other: of two at once, the older could end last. */
  private checks = Promise.resolve();
  private readonly listener: ChangeListener = {
    invalidate: ({ userGroupId }) => {
      if (userGroupId !== undefined && this.until.has(userGroupId)) this.check(userGroupId);
    },
    invalidateAll: () => {
      for (const userGroupId of this.until.keys()) this.check(userGroupId);
    },
  };
  /** Embed tokens that were refused. */
  count = 0;

  constructor(
    private readonly statements: Statements,
    private readonly changes: ChangeFeed,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.learn(await this.statements.read(listRefusals, { now: currentTime() }));
  }

  /** @throws QuotaReached */
  admit(userGroupId: number): void {
    const until = this.until.get(userGroupId);
    if (until === undefined) return;
    const now = currentTime();
    if (until <= now) return;
    this.count++;
    const { endAt } = periodOf('day', now);
    throw new QuotaReached(Math.ceil((Math.min(until, endAt) - now) / 1000));
  }

  /** Replaces what is known of a group whose limits this process has changed. */
  replace(userGroupId: number, refusals: readonly EmbedTokenRefusal[]): void {
    this.until.delete(userGroupId);
    this.learn(refusals);
  }

  /** Refuses these groups from now on, and forgets those whose time is over. */
  learn(refusals: readonly EmbedTokenRefusal[]): void {
    const now = currentTime();
    for (const [userGroupId, until] of this.until) {
      if (until <= now) this.until.delete(userGroupId);
    }
    for (const { userGroupId, refusedUntil } of refusals) this.until.set(userGroupId, refusedUntil);
    // A process without refusals holds no connection for changes.
    if (this.until.size > 0) this.changes.subscribe(this.listener);
  }

  private check(userGroupId: number): void {
    this.checks = handled(this.checks.then(() => this.readAgain(userGroupId)));
  }

  private async readAgain(userGroupId: number): Promise<void> {
    try {
      const key = { userGroupId, now: currentTime() };
      const known = this.until.get(userGroupId);
      const [found] = await this.statements.read(findRefusal, key);
      // Compares, because a write of this process may be newer than the read.
      if (this.until.get(userGroupId) !== known) await this.readAgain(userGroupId);
      else if (found) this.until.set(userGroupId, found.refusedUntil);
      else this.until.delete(userGroupId);
    } catch (err) {
      this.logger.warn({ msg: 'limits of a user group not read; its refusal goes on', err });
    }
  }
}
