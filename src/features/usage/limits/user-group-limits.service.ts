import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import { ChangeFeed } from '../../../core/change-log/change-feed.ts';
import { ReservedIds } from '../../../core/user-group/group/reserved-ids.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { seenBy } from '../../../platform/common/access/user-group-range.ts';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type {
  UserGroupLimitsRequest,
  UserGroupLimitsResponse,
  UserGroupLimitsView,
} from '../dto/usage-limits.dto.ts';
import type { UsageLimit } from '../entities/usage-limit.entity.ts';
import { periodOf } from '../usage-periods.ts';
import { EmbedTokenRefusals } from './embed-token-refusals.ts';
import { QuotaNotices } from './quota-notices.ts';

/** No day ends a refusal by a limit of 0. */
const NEVER = Number.MAX_SAFE_INTEGER;

interface GroupKey {
  workspaceId: number;
  providedId: string;
}

type Limits = Pick<UsageLimit, 'embedTokensPerDay' | 'usersPerMonth'>;

/** The limits of a group; without limits all of them are null, also `refuses`. */
interface LimitedGroup extends Limits {
  id: number;
  providedId: string;
  properties: string;
  refuses: number | null;
}

const findLimits = statement<GroupKey, LimitedGroup>(
  'usage.find-limits',
  () => `
    SELECT g.id, g.provided_id AS "providedId", g.properties,
      l.embed_tokens_per_day AS "embedTokensPerDay", l.users_per_month AS "usersPerMonth", l.refuses
    FROM user_group g LEFT JOIN usage_limit l ON l.user_group_id = g.id
    WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId`,
);

/**
 * Keeps the group, and serialises changes of its limits. These are to be read afterwards: a statement that waits for the lock
 * sees those of the time before the wait.
 */
const lockGroup = statement<GroupKey, { id: number }>(
  'usage.lock-group',
  ({ lockRows }) => `
    SELECT g.id FROM user_group g
    WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId ${lockRows('g')}`,
);

type Row = { [Name in keyof UsageLimit]: UsageLimit[Name] };

const putLimits = statement<Row>(
  'usage.put-limits',
  () => `
    INSERT INTO usage_limit (user_group_id, embed_tokens_per_day, users_per_month, refuses, refused_until)
    VALUES (:userGroupId, CAST(:embedTokensPerDay AS bigint), CAST(:usersPerMonth AS bigint), :refuses,
      CAST(:refusedUntil AS bigint))
    ON CONFLICT (user_group_id) DO UPDATE SET
      embed_tokens_per_day = excluded.embed_tokens_per_day, users_per_month = excluded.users_per_month,
      refuses = excluded.refuses, refused_until = excluded.refused_until`,
);

const removeLimits = statement<{ userGroupId: number }>(
  'usage.remove-limits',
  () => 'DELETE FROM usage_limit WHERE user_group_id = :userGroupId',
);

/** Reads and replaces what groups may use. */
@Injectable()
export class UserGroupLimitsService {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly notices: QuotaNotices,
    private readonly refusals: EmbedTokenRefusals,
    private readonly reserved: ReservedIds,
  ) {}

  /** @throws UserGroupNotFound, UserGroupRenamed */
  async get(caller: Caller, providedId: string): Promise<UserGroupLimitsResponse> {
    const { workspaceId } = caller;
    const [stored] = await this.statements.read(findLimits, { workspaceId, providedId });
    const group = seenBy(caller, stored);
    if (!group) throw await this.reserved.refusal(caller, providedId);
    return { success: 1, limits: toView(group) };
  }

  /**
   * Replaces all limits of a group. The same PUT again changes nothing.
   * @throws UserGroupNotFound, UserGroupRenamed, ValidationFailed
   */
  async replace(
    caller: Caller,
    providedId: string,
    dto: UserGroupLimitsRequest,
  ): Promise<UserGroupLimitsResponse> {
    const { workspaceId } = caller;
    const limits: UserGroupLimitsView = {
      embed_tokens_per_day: dto.embed_tokens_per_day ?? null,
      users_per_month: dto.users_per_month ?? null,
      refuse_embed_tokens: dto.refuse_embed_tokens ?? false,
    };
    const { embed_tokens_per_day: perDay, refuse_embed_tokens: refuses } = limits;
    if (refuses && perDay === null) throw needsLimit();
    const changed = await this.transactor.run(async (manager) => {
      const key = { workspaceId, providedId };
      const [locked] = await this.statements.run(manager, lockGroup, key);
      if (!locked) return null;
      const group = (await this.statements.run(manager, findLimits, key))[0]!;
      const before = toView(group);
      if (JSON.stringify(before) === JSON.stringify(limits)) return undefined;
      const userGroupId = group.id;
      if (perDay === null && limits.users_per_month === null) {
        await this.statements.run(manager, removeLimits, { userGroupId });
      } else {
        await this.statements.run(manager, putLimits, {
          userGroupId,
          embedTokensPerDay: perDay,
          usersPerMonth: limits.users_per_month,
          refuses: refuses ? 1 : 0,
          refusedUntil: refuses && perDay === 0 ? NEVER : null,
        });
      }
      await this.auditLog.record(manager, caller, {
        action: 'user_group.change_limits',
        object: { type: 'user_group', id: providedId },
        userGroupId,
        before,
        after: limits,
        details: { team_id: userGroupId },
      });
      const now = currentTime();
      const rows = (['day', 'month'] as const).map((unit) => {
        const { startAt } = periodOf(unit, now);
        return { workspaceId, userGroupId, unit, startAt };
      });
      const { refusals } = await this.notices.note(manager, rows);
      if (refuses && perDay === 0) refusals.push({ userGroupId, refusedUntil: NEVER });
      return { userGroupId, refusals };
    });
    if (changed === null) throw await this.reserved.refusal(caller, providedId);
    if (changed) {
      const { userGroupId, refusals } = changed;
      // First, so that a read of the limits before them does not have the last word.
      this.changes.announce({ workspaceId, userGroupId });
      this.refusals.replace(userGroupId, refusals);
    }
    return { success: 1, limits };
  }
}

function toView({ embedTokensPerDay, usersPerMonth, refuses }: LimitedGroup): UserGroupLimitsView {
  return {
    embed_tokens_per_day: embedTokensPerDay,
    users_per_month: usersPerMonth,
    refuse_embed_tokens: refuses === 1,
  };
}

function needsLimit(): ValidationFailed {
  const detail = 'To refuse embed tokens, embed_tokens_per_day must be a number.';
  return new ValidationFailed([{ pointer: '/embed_tokens_per_day', code: 'required', detail }]);
}
