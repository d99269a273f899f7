import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { AuditLog } from '../../core/audit/audit-log.ts';
import { ChangeFeed } from '../../core/change-log/change-feed.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { countInParts, type Total } from '../../platform/common/http/parameters/total.ts';
import {
  currentTime,
  fromWireTime,
  toWireTime,
  toWireTimeOrNull,
} from '../../platform/common/time.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import {
  ENDED_TOGETHER_COLUMNS,
  type EndedTogether,
  isTokenEnded,
} from '../../core/user-group/token/user-group-token.repository.ts';
import { WorkspaceService } from '../../core/workspace/workspace.service.ts';
import type { EndedBefore, EndTokensRequest, EndTokensResponse } from './dto/end-tokens.dto.ts';

interface OfWorkspace {
  workspaceId: number;
}

const find = statement<OfWorkspace, EndedTogether & { publicId: string }>(
  'end-tokens.find',
  () => `
    SELECT w.public_id AS "publicId", ${ENDED_TOGETHER_COLUMNS}
    FROM workspace w WHERE w.id = :workspaceId`,
);

const store = statement<OfWorkspace & EndedTogether>(
  'end-tokens.store',
  () => `
    UPDATE workspace SET tokens_epoch = :tokensEpoch, embed_tokens_epoch = :embedTokensEpoch,
      tokens_ended_before = :tokensEndedBefore, embed_tokens_ended_before = :embedTokensEndedBefore
    WHERE id = :workspaceId`,
);

/** Groups of a part, whose tokens are read in a few milliseconds. */
const GROUPS_AT_ONCE = 1000;

/** Counts the tokens that a call would end, those issued before a time or all: the current ones, and those in overlap. */
const countPart = statement<
  OfWorkspace & { after: number; before: number | null; now: number },
  { count: number; examined: number; last: number | null }
>(
  'end-tokens.count',
  () => `
    SELECT CAST(count(*) AS integer) AS examined, max(id) AS last, CAST(coalesce(sum(tokens), 0) AS integer) AS count
    FROM (
      SELECT g.id, (
        SELECT CASE WHEN ${wouldEnd('c')} THEN 1 ELSE 0 END + (
          SELECT count(*) FROM user_group_token p
          WHERE p.user_group_id = c.user_group_id AND p.generation = c.generation - 1
            AND p.valid_until > CAST(:now AS bigint) AND ${wouldEnd('p')})
        FROM user_group_token c WHERE c.user_group_id = g.id AND c.retired_at IS NULL
      ) AS tokens
      FROM user_group g
      WHERE g.workspace_id = :workspaceId AND g.id > CAST(:after AS bigint)
      ORDER BY g.id LIMIT ${GROUPS_AT_ONCE}
    ) counted`,
);

/** Ends tokens of a workspace together, by an epoch and a time that every one of them is compared with: it writes one row. */
@Injectable()
export class EndTokensService {
  constructor(
    private readonly workspaces: WorkspaceService,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly gate: Gate,
  ) {}

  /**
   * Ends the tokens issued before a time, or all that there are, whatever their clocks said; in every replica within a
   * second. An earlier time than before changes nothing.
   */
  end(caller: Caller, dto: EndTokensRequest): Promise<EndTokensResponse> {
    if (dto.dry_run) return this.gate.run(caller, () => this.preview(caller, dto));
    return this.gate.run(caller, () => this.endNow(caller, dto), 'ending');
  }

  private async endNow(
    caller: Caller,
    { before, kinds, reason }: EndTokensRequest,
  ): Promise<EndTokensResponse> {
    const { workspaceId } = caller;
    const response = await this.transactor.run(async (manager): Promise<EndTokensResponse> => {
      await this.workspaces.lock(manager, workspaceId);
      const { publicId, ...stored } = (
        await this.statements.run(manager, find, { workspaceId })
      )[0]!;
      const time = timeOf(before);
      const next = { ...stored };
      if (kinds.includes('user_group_token')) {
        next.tokensEpoch += Number(before === undefined);
        next.tokensEndedBefore = Math.max(stored.tokensEndedBefore ?? 0, time);
      }
      if (kinds.includes('embed_token')) {
        next.embedTokensEpoch += Number(before === undefined);
        next.embedTokensEndedBefore = Math.max(stored.embedTokensEndedBefore ?? 0, time);
      }
      const was = toView(stored);
      const is = toView(next);
      if (!isDeepStrictEqual(stored, next)) {
        await this.statements.run(manager, store, { workspaceId, ...next });
        await this.auditLog.record(manager, caller, {
          action: 'workspace.end_tokens',
          object: { type: 'workspace', id: publicId },
          before: was,
          after: is,
          details: { kinds, reason },
        });
      }
      return { success: 1, ended_tokens: { before: toWireTime(time), kinds, in_force: is } };
    });
    this.changes.announce({ workspaceId, of: 'user_groups' });
    return response;
  }

  private async preview(
    { workspaceId }: Caller,
    { before, kinds }: EndTokensRequest,
  ): Promise<EndTokensResponse> {
    const [stored] = await this.statements.read(find, { workspaceId });
    const time = timeOf(before);
    const isAny = kinds.includes('user_group_token');
    const issued = { workspaceId, before: before === undefined ? null : time };
    const would_end = isAny ? await this.count(issued) : { count: 0, exact: true };
    return {
      success: 1,
      ended_tokens: { before: toWireTime(time), kinds, in_force: toView(stored!), would_end },
    };
  }

  private count(issued: OfWorkspace & { before: number | null }): Promise<Total> {
    const now = currentTime();
    return countInParts<number>(async (after = 0) => {
      const [part] = await this.statements.read(countPart, { ...issued, after, now });
      return { count: part!.count, end: part!.examined < GROUPS_AT_ONCE ? undefined : part!.last! };
    });
  }
}

function timeOf(before: string | undefined): number {
  return before === undefined ? currentTime() : fromWireTime(before);
}

/** Tells of a token whether the call would end it, and it is not among those that were ended together. */
function wouldEnd(token: string): string {
  return `(CAST(:before AS bigint) IS NULL OR ${token}.created_at < CAST(:before AS bigint))
    AND ${isTokenEnded(token)} IS NOT TRUE`;
}

function toView({ tokensEndedBefore, embedTokensEndedBefore }: EndedTogether): EndedBefore {
  return {
    user_group_token: toWireTimeOrNull(tokensEndedBefore),
    embed_token: toWireTimeOrNull(embedTokensEndedBefore),
  };
}
