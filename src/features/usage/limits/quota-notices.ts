import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditEntry, AuditLog, ofService } from '../../../core/audit/audit-log.ts';
import { currentTime, toWireTime } from '../../../platform/common/time.ts';
import { columnsOf } from '../../../platform/database/dialect.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { UsageCount } from '../entities/usage-count.entity.ts';
import type { UsageLimit } from '../entities/usage-limit.entity.ts';
import type { EmbedTokenRefusal } from './embed-token-refusals.ts';

/** The counts of a group in a day or a month. */
export type UsageKey = Pick<UsageCount, 'workspaceId' | 'userGroupId' | 'unit' | 'startAt'>;

const KEY = {
  workspaceId: 'integer',
  userGroupId: 'integer',
  unit: 'text',
  startAt: 'bigint',
} as const;
const NOTICE = {
  userGroupId: 'integer',
  limitName: 'text',
  startAt: 'bigint',
  limitValue: 'bigint',
  level: 'text',
  endAt: 'bigint',
} as const;

const LIMITS = { day: 'embed_tokens_per_day', month: 'users_per_month' } as const;

type Near = UsageKey &
  Pick<UsageCount, 'endAt'> &
  Pick<UsageLimit, 'refuses' | 'refusedUntil'> & {
    unit: 'day' | 'month';
    providedId: string;
    used: number;
    limitValue: number;
  };

/** The used share of a limit, in tenths, from which a group is near it. */
const NEAR_TENTHS = 8;

/**
 * Finds counts that are near a limit or beyond. Locks the limits of their groups: a change of limits sees the counts, or
 * these see the changed limits.
 */
const findNear = statement<{ rows: readonly UsageKey[] }, Near>(
  'usage.find-near',
  ({ recordsOf, lockRows }) => {
    const used = `CASE r.unit WHEN 'day' THEN c.embed_tokens ELSE c.users END`;
    const limit = `CASE r.unit WHEN 'day' THEN l.embed_tokens_per_day ELSE l.users_per_month END`;
    return `
      SELECT c.workspace_id AS "workspaceId", c.user_group_id AS "userGroupId", c.unit,
        c.start_at AS "startAt", c.end_at AS "endAt", ${used} AS used, ${limit} AS "limitValue",
        l.refuses, l.refused_until AS "refusedUntil", g.provided_id AS "providedId"
      FROM ${recordsOf(':rows', KEY)}
      JOIN usage_limit l ON l.user_group_id = r."userGroupId"
      JOIN usage_count c ON c.workspace_id = r."workspaceId" AND c.user_group_id = l.user_group_id
        AND c.unit = r.unit AND c.start_at = r."startAt"
      JOIN user_group g ON g.id = l.user_group_id
      WHERE ${used} > 0 AND ${used} * 10 >= ${limit} * ${NEAR_TENTHS}
      ORDER BY l.user_group_id, c.unit, c.start_at ${lockRows('l')}`;
  },
);

interface Notice {
  userGroupId: number;
  limitName: string;
  startAt: number;
  limitValue: number;
  level: 'near' | 'reached';
  endAt: number;
}

const notices = columnsOf(NOTICE);

const insertNotices = statement<{ rows: readonly Notice[] }, Omit<Notice, 'endAt'>>(
  'usage.insert-notices',
  ({ recordsOf }) => `
    INSERT INTO usage_notice (${notices.columns})
    SELECT ${notices.members} FROM ${recordsOf(':rows', NOTICE)} WHERE true
    ON CONFLICT (user_group_id, limit_name, start_at, limit_value, level) DO NOTHING
    RETURNING user_group_id AS "userGroupId", limit_name AS "limitName", start_at AS "startAt",
      limit_value AS "limitValue", level`,
);

const refuseUntil = statement<{ ids: readonly number[]; until: number }>(
  'usage.refuse-until',
  ({ isOneOf }) => `
    UPDATE usage_limit SET refused_until = CAST(:until AS bigint)
    WHERE ${isOneOf('user_group_id', ':ids', 'integer')}`,
);

/** Tells of groups that are near their limits, or have reached them, once for each limit and period. */
@Injectable()
export class QuotaNotices {
  /** Events by level. */
  readonly counts = { near: 0, reached: 0 };

  constructor(
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Records the events of these counts, in the transaction that has changed them.
   * @returns the groups that get no more embed tokens, and those of new events
   */
  async note(
    manager: EntityManager,
    rows: readonly UsageKey[],
  ): Promise<{ refusals: EmbedTokenRefusal[]; told: UsageKey[] }> {
    const keys = rows.map(({ workspaceId, userGroupId, unit, startAt }) => {
      return { workspaceId, userGroupId, unit, startAt };
    });
    const near =
      keys.length > 0 ? await this.statements.run(manager, findNear, { rows: keys }) : [];
    if (near.length === 0) return { refusals: [], told: [] };
    const found = near.flatMap((row) =>
      (['near', 'reached'] as const)
        .filter((level) => level === 'near' || row.used >= row.limitValue)
        .map((level) => ({ row, notice: toNotice(row, level) })),
    );
    const stored = await this.statements.run(manager, insertNotices, {
      rows: found.map(({ notice }) => notice),
    });
    const isNew = new Set(stored.map(keyOf));
    const told = found.filter(({ notice }) => isNew.has(keyOf(notice)));
    for (const { notice } of told) this.counts[notice.level]++;
    await this.auditLog.recordAll(
      manager,
      told.map(({ row, notice }) => [ofService(row.workspaceId), toEntry(row, notice)] as const),
    );
    return { refusals: await this.refuse(manager, near), told: told.map(({ row }) => row) };
  }

  /** Stores which groups have reached a limit of this day that refuses embed tokens. */
  private async refuse(
    manager: EntityManager,
    near: readonly Near[],
  ): Promise<EmbedTokenRefusal[]> {
    const now = currentTime();
    const reached = near.filter(
      ({ unit, refuses, used, limitValue, endAt }) =>
        unit === 'day' && refuses === 1 && used >= limitValue && endAt > now,
    );
    const later = reached.filter(({ refusedUntil, endAt }) => (refusedUntil ?? 0) < endAt);
    if (later[0]) {
      const ids = later.map(({ userGroupId }) => userGroupId);
      await this.statements.run(manager, refuseUntil, { ids, until: later[0].endAt });
    }
    return reached.map(({ userGroupId, refusedUntil, endAt }) => ({
      userGroupId,
      refusedUntil: Math.max(refusedUntil ?? 0, endAt),
    }));
  }
}

function toNotice({ userGroupId, unit, startAt, limitValue, endAt }: Near, level: Notice['level']) {
  return { userGroupId, limitName: LIMITS[unit], startAt, limitValue, level, endAt };
}

function toEntry(
  { userGroupId, providedId, used, startAt, endAt }: Near,
  { limitName, limitValue, level }: Notice,
): AuditEntry {
  return {
    action: `user_group.quota_${level}`,
    object: { type: 'user_group', id: providedId },
    userGroupId,
    details: {
      team_id: userGroupId,
      limit: limitName,
      limit_value: limitValue,
      used,
      from: toWireTime(startAt),
      to: toWireTime(endAt),
    },
  };
}

function keyOf({ userGroupId, limitName, startAt, limitValue, level }: Omit<Notice, 'endAt'>) {
  return `${userGroupId} ${limitName} ${startAt} ${limitValue} ${level}`;
}
