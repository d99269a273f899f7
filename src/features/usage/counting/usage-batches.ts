import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { DatabaseUnavailable, ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import {
  currentTime,
  DAY_MS,
  fromWireTime,
  HOUR_MS,
  MINUTE_MS,
} from '../../../platform/common/time.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type {
  UsageBatchRequest,
  UsageBatchResponse,
  UsageBatchResult,
  UsageViews,
} from '../dto/usage-batch.dto.ts';
import type { UsageBatch } from '../entities/usage-batch.entity.ts';
import { UsageBatchReused } from '../usage.errors.ts';
import { type UsageAddition, UsageCounter } from './usage-counter.ts';

const OLDEST_MS = 2 * DAY_MS;
/** Clocks of renderers can be ahead. */
const NEWEST_MS = 5 * MINUTE_MS;
/** Outlasts the time within which views of the batch can be sent again. */
const REMEMBERED_MS = OLDEST_MS + HOUR_MS;

type Stored = Pick<UsageBatch, 'bodyHash' | 'result'>;

const findBatch = statement<Pick<UsageBatch, 'workspaceId' | 'batchId'>, Stored>(
  'usage.find-batch',
  () => `
    SELECT body_hash AS "bodyHash", result FROM usage_batch
    WHERE workspace_id = :workspaceId AND batch_id = :batchId`,
);

/** Finds groups by their ids, and by those that are reserved for them: a renderer may have cached them. */
const findGroups = statement<
  { workspaceId: number; subs: readonly string[]; now: number },
  { id: number; sub: string }
>('usage.find-groups', (dialect) =>
  dialect.forEachKey(
    ':subs',
    (key) => `
      SELECT g.id, g.provided_id AS sub FROM user_group g
      WHERE g.workspace_id = :workspaceId AND ${key.is('g.provided_id')}
      UNION ALL SELECT r.user_group_id, r.provided_id FROM reserved_id r
      WHERE r.workspace_id = :workspaceId AND ${key.is('r.provided_id')} AND r.reserved_until > CAST(:now AS bigint)`,
  ),
);

/** Counts the views that renderers report, each batch once. */
@Injectable()
export class UsageBatches {
  /** Batches by result. */
  readonly counts = { counted: 0, repeated: 0 };
  /** Views that were counted. */
  views = 0;

  constructor(
    private readonly statements: Statements,
    private readonly counter: UsageCounter,
  ) {}

  /**
   * Counts the batch, or returns the response of the first time.
   * @throws UsageBatchReused, ValidationFailed, DatabaseUnavailable
   */
  async report({ workspaceId }: Caller, batch: UsageBatchRequest): Promise<UsageBatchResponse> {
    const { batch_id: batchId, views } = batch;
    const key = { workspaceId, batchId };
    const bodyHash = hashOf(views);
    const [known] = await this.statements.read(findBatch, key);
    if (known) return this.repeat(known, bodyHash);
    requireRecent(views);
    const subs = [...new Set(views.map(({ sub }) => sub))];
    const now = currentTime();
    const groups = await this.statements.read(findGroups, { workspaceId, subs, now });
    const ids = new Map(groups.map(({ id, sub }) => [sub, id]));
    const { additions, result } = readViews(workspaceId, batch, ids);
    const expiresAt = now + REMEMBERED_MS;
    const row = { ...key, bodyHash, result: JSON.stringify(result), expiresAt };
    if (await this.counter.addOnce(row, additions)) {
      this.counts.counted++;
      this.views += result.counted;
      return { success: 1, batch: result };
    }
    const [won] = await this.statements.read(findBatch, key);
    if (!won) throw new DatabaseUnavailable(new Error('the batch was removed at this moment'));
    return this.repeat(won, bodyHash);
  }

  private repeat({ bodyHash, result }: Stored, sent: Buffer): UsageBatchResponse {
    if (!bodyHash.equals(sent)) {
      throw new UsageBatchReused();
    }
    this.counts.repeated++;
    return { success: 1, batch: JSON.parse(result) as UsageBatchResult };
  }
}

/** Sums up the views of each group and hour. */
function readViews(
  workspaceId: number,
  { batch_id, views }: UsageBatchRequest,
  ids: ReadonlyMap<string, number>,
): { additions: UsageAddition[]; result: UsageBatchResult } {
  const result: UsageBatchResult = { batch_id, counted: 0, not_counted: 0, unknown: [] };
  const additions: UsageAddition[] = [];
  for (const [place, { sub, user_id: userId, count, at }] of views.entries()) {
    const userGroupId = ids.get(sub);
    if (userGroupId === undefined) {
      result.not_counted += count;
      result.unknown.push(place);
      continue;
    }
    result.counted += count;
    const users = userId === undefined ? [] : [userId];
    additions.push({ workspaceId, userGroupId, at: fromWireTime(at), views: count, users });
  }
  return { additions, result };
}

/** @throws ValidationFailed */
function requireRecent(views: readonly UsageViews[]): void {
  const now = currentTime();
  const violations = views.flatMap(({ at }, place): Violation[] => {
    const time = fromWireTime(at);
    if (time >= now - OLDEST_MS && time <= now + NEWEST_MS) return [];
    const detail = 'The time must lie within the last 48 hours.';
    return [{ pointer: `/views/${place}/at`, code: 'not_acceptable', detail }];
  });
  if (violations.length > 0) throw new ValidationFailed(violations);
}

function hashOf(views: readonly UsageViews[]): Buffer {
  const content = views.map(({ sub, user_id, resource, count, at }) => [
    sub,
    user_id ?? null,
    resource ?? null,
    count,
    fromWireTime(at),
  ]);
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
