import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChangeFeed } from '../../../core/change-log/change-feed.ts';
import { columnsOf, toBytesText } from '../../../platform/database/dialect.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { UsageBatch } from '../entities/usage-batch.entity.ts';
import type { UsageCount } from '../entities/usage-count.entity.ts';
import { EmbedTokenRefusals } from '../limits/embed-token-refusals.ts';
import { QuotaNotices } from '../limits/quota-notices.ts';
import { periodOf, type UsagePeriod, usageUnits } from '../usage-periods.ts';
import { UsageUsers } from './usage-users.ts';

/** The use of a group at a time. */
export interface UsageAddition {
  workspaceId: number;
  userGroupId: number;
  /** In milliseconds since 1970. */
  at: number;
  views?: number;
  embedTokens?: number;
  introspections?: number;
  /** The users that were named. */
  users: Iterable<string>;
}

const KEY = {
  workspaceId: 'integer',
  userGroupId: 'integer',
  unit: 'text',
  startAt: 'bigint',
} as const;
const COUNT = {
  ...KEY,
  endAt: 'bigint',
  views: 'bigint',
  embedTokens: 'bigint',
  introspections: 'bigint',
  users: 'bigint',
} as const;
const USER = { ...KEY, userHash: 'bytes', endAt: 'bigint' } as const;

type Key = Pick<UsageCount, keyof typeof KEY>;
type UserRow = Key & { userHash: string; endAt: number };

const counts = columnsOf(COUNT);
const users = columnsOf(USER);

/** The rows of all groups come last, because every batch of a workspace waits for them. */
const LOCKING_ORDER = '"workspaceId", "userGroupId" DESC, unit, "startAt"';

const addCounts = statement<{ rows: readonly UsageCount[] }>(
  'usage.add-counts',
  ({ recordsOf }) => `
    INSERT INTO usage_count (${counts.columns})
    SELECT ${counts.members} FROM ${recordsOf(':rows', COUNT)} WHERE true ORDER BY ${LOCKING_ORDER}
    ON CONFLICT (workspace_id, user_group_id, unit, start_at) DO UPDATE SET
      views = usage_count.views + excluded.views,
      embed_tokens = usage_count.embed_tokens + excluded.embed_tokens,
      introspections = usage_count.introspections + excluded.introspections,
      users = usage_count.users + excluded.users`,
);

const addUsers = statement<{ rows: readonly UserRow[] }, Key>(
  'usage.add-users',
  ({ recordsOf }) => `
    INSERT INTO usage_user (${users.columns})
    SELECT ${users.members} FROM ${recordsOf(':rows', USER)} WHERE true
    ORDER BY ${LOCKING_ORDER}, "userHash"
    ON CONFLICT (workspace_id, user_group_id, unit, start_at, user_hash) DO NOTHING
    RETURNING workspace_id AS "workspaceId", user_group_id AS "userGroupId", unit, start_at AS "startAt"`,
);

type NewBatch = { [Name in keyof UsageBatch]: UsageBatch[Name] };

/** Waits for another process that is storing the same batch. */
const insertBatch = statement<NewBatch, Pick<UsageBatch, 'batchId'>>(
  'usage.insert-batch',
  () => `
    INSERT INTO usage_batch (workspace_id, batch_id, body_hash, result, expires_at)
    VALUES (:workspaceId, :batchId, :bodyHash, :result, CAST(:expiresAt AS bigint))
    ON CONFLICT (workspace_id, batch_id) DO NOTHING RETURNING batch_id AS "batchId"`,
);

/** Adds to the hours, days and months of groups, and to those of their workspaces. */
@Injectable()
export class UsageCounter {
  constructor(
    private readonly statements: Statements,
    private readonly usageUsers: UsageUsers,
    private readonly transactor: Transactor,
    private readonly notices: QuotaNotices,
    private readonly refusals: EmbedTokenRefusals,
    private readonly changes: ChangeFeed,
  ) {}

  /** Adds what a batch has, unless the batch is stored already. @returns whether it was new */
  async addOnce(batch: NewBatch, additions: readonly UsageAddition[]): Promise<boolean> {
    const noted = await this.transactor.run(async (manager) => {
      const stored = await this.statements.run(manager, insertBatch, batch);
      if (stored.length === 0) return undefined;
      const rows = additions.length > 0 ? await this.add(manager, additions) : [];
      const ofGroups = rows.filter(({ userGroupId, unit }) => userGroupId > 0 && unit !== 'hour');
      return this.notices.note(manager, ofGroups);
    });
    if (!noted) return false;
    this.refusals.learn(noted.refusals);
    for (const { workspaceId, userGroupId } of noted.told) {
      this.changes.announce({ workspaceId, userGroupId });
    }
    return true;
  }

  /** Locks rows in one order, so that writers of the same rows never deadlock. */
  private async add(
    manager: EntityManager,
    additions: readonly UsageAddition[],
  ): Promise<UsageCount[]> {
    const rows = new CountRows();
    const seen = new Map<string, UserRow>();
    for (const addition of additions) {
      const { workspaceId, userGroupId, at } = addition;
      const names = [...addition.users];
      const hashes = names.map((name) => this.usageUsers.hashOf(workspaceId, userGroupId, name));
      for (const unit of usageUnits) {
        const period = periodOf(unit, at);
        for (const id of [userGroupId, 0]) {
          rows.add({ workspaceId, userGroupId: id, ...period }, addition);
        }
        if (unit === 'hour') continue;
        for (const hash of hashes) {
          const userHash = toBytesText(hash);
          const { startAt, endAt } = period;
          const row = { workspaceId, userGroupId, unit, startAt, userHash, endAt };
          seen.set(`${keyOf(row)} ${userHash}`, row);
        }
      }
    }
    if (seen.size > 0) {
      for (const key of await this.statements.run(manager, addUsers, {
        rows: [...seen.values()],
      })) {
        rows.get(key).users++;
        rows.get({ ...key, userGroupId: 0 }).users++;
      }
    }
    const list = rows.list();
    await this.statements.run(manager, addCounts, { rows: list });
    return list;
  }
}

/** Rows to be added, one for each key. */
class CountRows {
  private readonly rows = new Map<string, UsageCount>();

  add(
    key: UsagePeriod & Pick<Key, 'workspaceId' | 'userGroupId'>,
    { views = 0, embedTokens = 0, introspections = 0 }: UsageAddition,
  ): void {
    const text = keyOf(key);
    const row = this.rows.get(text);
    if (!row) {
      this.rows.set(text, { ...key, views, embedTokens, introspections, users: 0 });
      return;
    }
    row.views += views;
    row.embedTokens += embedTokens;
    row.introspections += introspections;
  }

  get(key: Key): UsageCount {
    return this.rows.get(keyOf(key))!;
  }

  list(): UsageCount[] {
    return [...this.rows.values()];
  }
}

function keyOf({ workspaceId, userGroupId, unit, startAt }: Key): string {
  return `${workspaceId} ${userGroupId} ${unit} ${startAt}`;
}
