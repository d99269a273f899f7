import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../common/time.ts';
import { setImmediate } from 'node:timers/promises';
import { type Statement, statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { ThrottledCounts } from './throttled-counts.ts';

/** Index entries per statement: a few milliseconds, so that no caller waits for it. */
const IDS_AT_ONCE = 50_000;
const OVERLAPS_AT_ONCE = 500;

const LARGEST_ID = 2 ** 31 - 1;

export interface UserGroupCounts {
  groups: number;
  suspended: number;
  inOverlap: number;
  /** Tokens in overlap that were used within an hour, and since they were replaced. */
  inOverlapUsed: number;
}

type CountPart = Statement<{ workspaceId: number; after: number }, { count: number; last: number | null }>;

/** Reads the index alone, which has every column that it names. */
const countPart = (name: string, where: string): CountPart =>
  statement(
    `user-group-counts.${name}`,
    () => `
      SELECT CAST(count(*) AS integer) AS count, max(part.id) AS last
      FROM (
        SELECT g.id FROM user_group g
        WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint) ${where}
        ORDER BY g.id LIMIT ${IDS_AT_ONCE}
      ) part`,
  );

const countGroups = countPart('groups', '');
const countSuspended = countPart('suspended', 'AND g.suspended_at IS NOT NULL');

interface Overlap {
  validUntil: number;
  userGroupId: number;
  generation: number;
  retiredAt: number;
  lastIntrospectedAt: number | null;
  /** Whether it is the predecessor of the current token: the next rotation ends every overlap. */
  isPredecessor: boolean | 0 | 1;
}

type OverlapPosition = Pick<Overlap, 'validUntil' | 'userGroupId' | 'generation'>;

const listOverlaps = statement<OverlapPosition & { workspaceId: number }, Overlap>(
  'user-group-counts.list-overlaps',
  () => `
    SELECT t.valid_until AS "validUntil", t.user_group_id AS "userGroupId", t.generation,
      t.retired_at AS "retiredAt", t.last_introspected_at AS "lastIntrospectedAt",
      (
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

  protected override async count(workspaceId: number, signal: AbortSignal): Promise<UserGroupCounts> {
    return {
      groups: await this.sum(countGroups, workspaceId, signal),
      suspended: await this.sum(countSuspended, workspaceId, signal),
      ...(await this.countOverlaps(workspaceId, signal)),
    };
  }

  private async sum(part: CountPart, workspaceId: number, signal: AbortSignal): Promise<number> {
    let sum = 0;
    for (let after = 0; ;) {
      const [row] = await this.statements.read(part, { workspaceId, after });
      sum += row!.count;
      if (row!.last === null || row!.count < IDS_AT_ONCE) return sum;
      after = row!.last;
      await breathe(signal);
    }
  }

  private async countOverlaps(
    workspaceId: number,
    signal: AbortSignal,
  ): Promise<Pick<UserGroupCounts, 'inOverlap' | 'inOverlapUsed'>> {
    const now = Date.now();
    let [inOverlap, inOverlapUsed] = [0, 0];
    let after: OverlapPosition = { validUntil: now, userGroupId: LARGEST_ID, generation: 0 };
    for (;;) {
      const rows = await this.statements.read(listOverlaps, { workspaceId, ...after });
      const overlaps = rows.filter(({ isPredecessor }) => isPredecessor);
      inOverlap += overlaps.length;
      inOverlapUsed += overlaps.filter(
        ({ lastIntrospectedAt, retiredAt }) => (lastIntrospectedAt ?? 0) >= Math.max(retiredAt, now - HOUR_MS),
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
