import { Injectable } from '@nestjs/common';
import { HOUR_MS, currentTime } from '../../platform/common/time.ts';
import { setImmediate } from 'node:timers/promises';
import { type Statement, statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import type { GroupStatus } from '../../core/user-group/status/user-group-status.ts';
import { narrowings, statusConditions } from '../../core/user-group/status/status-conditions.ts';
import { isEndedTogether } from '../../core/user-group/token/token-validity.ts';
import {
  ENDED_TOGETHER_COLUMNS,
  type EndedTogether,
} from '../../core/user-group/token/user-group-token.repository.ts';
import { ThrottledCounts } from './throttled-counts.ts';

/** Index entries per statement: a few milliseconds, so that no caller waits for it. */
const IDS_AT_ONCE = 50_000;
const GROUPS_AT_ONCE = 1000;
const OVERLAPS_AT_ONCE = 500;

const LARGEST_ID = 2 ** 31 - 1;

export interface UserGroupCounts {
  groups: number;
  /** Numbers of groups by their status. */
  inactive: Record<Exclude<GroupStatus, 'active'>, number>;
  /** Whether flaws have been looked for since the rules of the workspace have changed. */
  isChecked: boolean;
  inOverlap: number;
  /** Tokens in overlap that were used within an hour, and since they were replaced. */
  inOverlapUsed: number;
}

interface CountPart {
  size: number;
  run: Statement<
    { workspaceId: number; after: number; now: number },
    { count: number; examined: number; last: number | null }
  >;
}

/** Reads part of the groups that an index has in order of creation; their rows only if the index does not decide. */
const countPart = (name: string, narrowing: string, condition?: string): CountPart => {
  const size = condition === undefined ? IDS_AT_ONCE : GROUPS_AT_ONCE;
  const run: CountPart['run'] = statement(
    `user-group-counts.${name}`,
    () => `
      SELECT CAST(count(*) AS integer) AS examined, max(g.id) AS last,
        CAST(count(CASE WHEN ${condition ?? 'true'} THEN 1 END) AS integer) AS count
      FROM (
        SELECT ${condition === undefined ? 'g.id' : '*'} FROM user_group g
        WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint) AND ${narrowing}
        ORDER BY g.id LIMIT ${size}
      ) g`,
  );
  return { size, run };
};

const countOf = (status: GroupStatus & keyof typeof narrowings) =>
  countPart(status, narrowings[status], statusConditions[status]);
const countAll = countPart('groups', 'true');
const countSuspended = countPart('suspended', narrowings.suspended);
const [countExpired, countIncomplete, countUnresolved] = [
  countOf('expired'),
  countOf('incomplete'),
  countOf('unresolved'),
];

const countWithoutToken = countPart('no-valid-token', 'true', statusConditions.no_valid_token);

const readWorkspace = statement<
  { workspaceId: number },
  EndedTogether & { isChecked: boolean | 0 | 1 }
>(
  'user-group-counts.read-workspace',
  () => `
    SELECT w.flaws_unchecked_since IS NULL AS "isChecked", ${ENDED_TOGETHER_COLUMNS}
    FROM workspace w WHERE w.id = :workspaceId`,
);

interface Overlap {
  validUntil: number;
  userGroupId: number;
  generation: number;
  retiredAt: number;
  lastIntrospectedAt: number | null;
  epoch: number;
  createdAt: number;
  /** Whether it is the predecessor of the current token: the next rotation ends every overlap. */
  isPredecessor: boolean | 0 | 1;
}

type OverlapPosition = Pick<Overlap, 'validUntil' | 'userGroupId' | 'generation'>;

const listOverlaps = statement<OverlapPosition & { workspaceId: number }, Overlap>(
  'user-group-counts.list-overlaps',
  () => `
    SELECT t.valid_until AS "validUntil", t.user_group_id AS "userGroupId", t.generation,
      t.retired_at AS "retiredAt", t.last_introspected_at AS "lastIntrospectedAt",
      t.epoch, t.created_at AS "createdAt", (
        SELECT c.retired_at IS NULL FROM user_group_token c
        WHERE c.user_group_id = t.user_group_id AND c.generation = t.generation + 1
      ) AS "isPredecessor"
    FROM (
      SELECT * FROM user_group_token
      WHERE workspace_id = :workspaceId AND valid_until IS NOT NULL
        AND (valid_until, user_group_id, generation)
          > (CAST(:validUntil AS bigint), CAST(:userGroupId AS integer), CAST(:generation AS integer))
      ORDER BY valid_until, user_group_id, generation LIMIT ${OVERLAPS_AT_ONCE}
    ) t
    ORDER BY t.valid_until, t.user_group_id, t.generation`,
);

/** Counts the user groups of a workspace, and their tokens in overlap, part by part of an index. */
@Injectable()
export class UserGroupCounter extends ThrottledCounts<UserGroupCounts> {
  constructor(private readonly statements: Statements) {
    super();
  }

  protected override async count(
    workspaceId: number,
    signal: AbortSignal,
  ): Promise<UserGroupCounts> {
    const [workspace] = await this.statements.read(readWorkspace, { workspaceId });
    const { tokensEpoch, tokensEndedBefore } = workspace!;
    const hasEnded = tokensEpoch > 0 || tokensEndedBefore !== null;
    return {
      groups: await this.sum(countAll, workspaceId, signal),
      inactive: {
        suspended: await this.sum(countSuspended, workspaceId, signal),
        expired: await this.sum(countExpired, workspaceId, signal),
        incomplete: await this.sum(countIncomplete, workspaceId, signal),
        no_valid_token: hasEnded ? await this.sum(countWithoutToken, workspaceId, signal) : 0,
        unresolved: await this.sum(countUnresolved, workspaceId, signal),
      },
      isChecked: Boolean(workspace!.isChecked),
      ...(await this.countOverlaps(workspaceId, workspace!, signal)),
    };
  }

  private async sum(part: CountPart, workspaceId: number, signal: AbortSignal): Promise<number> {
    let sum = 0;
    for (let after = 0; ;) {
      const [row] = await this.statements.read(part.run, {
        workspaceId,
        after,
        now: currentTime(),
      });
      sum += row!.count;
      if (row!.last === null || row!.examined < part.size) return sum;
      after = row!.last;
      await breathe(signal);
    }
  }

  private async countOverlaps(
    workspaceId: number,
    ended: EndedTogether,
    signal: AbortSignal,
  ): Promise<Pick<UserGroupCounts, 'inOverlap' | 'inOverlapUsed'>> {
    const now = currentTime();
    let [inOverlap, inOverlapUsed] = [0, 0];
    let after: OverlapPosition = { validUntil: now, userGroupId: LARGEST_ID, generation: 0 };
    for (;;) {
      const rows = await this.statements.read(listOverlaps, { workspaceId, ...after });
      const overlaps = rows.filter((row) => row.isPredecessor && !isEndedTogether(row, ended));
      inOverlap += overlaps.length;
      inOverlapUsed += overlaps.filter(
        ({ lastIntrospectedAt, retiredAt }) =>
          (lastIntrospectedAt ?? 0) >= Math.max(retiredAt, now - HOUR_MS),
      ).length;
      if (rows.length < OVERLAPS_AT_ONCE) return { inOverlap, inOverlapUsed };
      after = rows.at(-1)!;
      await breathe(signal);
    }
  }
}

/** Lets other calls run, because statements of SQLite block the process. */
async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}
