import { Injectable } from '@nestjs/common';
import type { Caller, GroupReader } from '../../../platform/common/access/caller.ts';
import { covers } from '../../../platform/common/access/user-group-range.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import { HistoryBeginsLater, UserGroupNotFound } from '../group/user-group.errors.ts';
import { ReservedIds } from '../group/reserved-ids.ts';
import { DAY_MS, currentTime, fromWireTime, toWireTime } from '../../../platform/common/time.ts';
import { Config } from '../../../platform/config/config.ts';
import { PastRulesReader } from '../../mapping/past-rules.ts';
import { parseTokens, pastReasonOf, type PastToken, tokensAt } from '../history/past-tokens.ts';
import {
  UserGroupHistoryRepository,
  type UserGroupVersionState,
} from '../history/user-group-history.repository.ts';
import { type GroupStatus, statusOf } from '../status/user-group-status.ts';
import { type InactiveReason, isEndedTogether } from '../token/token-validity.ts';
import { type GetUserGroupResponse, toPastTokenView } from './dto/past-response.dto.ts';
import { toUserGroupResource } from './dto/user-group-resource-response.dto.ts';

/** Why no token of a group with this status is accepted; null if that is not so. */
const REASONS: Record<GroupStatus, InactiveReason | null> = {
  suspended: 'group_suspended',
  expired: 'group_expired',
  incomplete: 'group_incomplete',
  // It is that of the current token alone.
  no_valid_token: null,
  unresolved: null,
  active: null,
};

/** Reads the states that groups have had. A deleted group has them, too. */
@Injectable()
export class UserGroupPast {
  constructor(
    private readonly history: UserGroupHistoryRepository,
    private readonly reserved: ReservedIds,
    private readonly pastRules: PastRulesReader,
    private readonly config: Config,
    private readonly gate: Gate,
  ) {}

  /**
   * Returns the group as it was at a time, and which of its tokens were accepted then.
   * @throws UserGroupNotFound, UserGroupRenamed, HistoryBeginsLater
   */
  getAt(caller: Caller, providedId: string, time: string): Promise<GetUserGroupResponse> {
    return this.gate.run(caller, () => this.readAt(caller, providedId, time));
  }

  private async readAt(
    caller: Caller,
    providedId: string,
    time: string,
  ): Promise<GetUserGroupResponse> {
    const { workspaceId } = caller;
    const at = fromWireTime(time);
    const { historyRetentionDays: days } = this.config;
    if (days > 0 && at < currentTime() - days * DAY_MS) throw new HistoryBeginsLater();
    const absent = new UserGroupNotFound('No user group of the workspace had this id then.');
    const teamId = await this.seenTeam(caller, providedId, null, absent);
    const state = await this.history.findAt({ workspaceId, providedId }, at);
    if (!state || state.createdAt > at || (teamId ?? state.id) !== state.id) {
      throw await this.reserved.refusal(caller, providedId, absent);
    }
    if (state.updatedAt > at) throw new HistoryBeginsLater();
    const { standing, tokens, ended, isResolutionKept } = await this.judge(
      { workspaceId, providedId },
      state,
      at,
    );
    const ofGroup = REASONS[standing.status];
    return {
      success: 1,
      user_group: toUserGroupResource(state, providedId, standing),
      past: {
        at: toWireTime(at),
        version: state.version,
        tokens: tokens.map((one) =>
          toPastTokenView(one, pastReasonOf(one, at, { ended, ofGroup })),
        ),
        is_resolution_kept: isResolutionKept,
      },
    };
  }

  /** Judges a state by the rules that the workspace had at a time within it, and the token that the group had then. */
  async judge(
    id: { workspaceId: number; providedId: string },
    state: UserGroupVersionState,
    at: number,
  ) {
    const { rules, ...past } = await this.pastRules.find(
      id.workspaceId,
      at,
      state.replacedAt ?? currentTime(),
    );
    const tokens = tokensAt(
      await this.readTokens({ ...id, teamId: state.id, version: null }, at),
      at,
    );
    const isTokenEnded = tokens[0] !== undefined && isEndedTogether(tokens[0], past.ended);
    const known = past.isResolutionKept ? rules : { ...rules, policy: 'open' as const };
    return { ...past, tokens, standing: statusOf({ ...state, isTokenEnded }, known, at) };
  }

  /** Reads tokens of one group, which may be deleted while they are read. */
  private async readTokens(
    group: Parameters<UserGroupHistoryRepository['list']>[0] & { teamId: number },
    at: number,
  ): Promise<PastToken[]> {
    const present = await this.history.findTokens(group.teamId, at);
    if (present.length > 0) return present;
    const [last] = await this.history.list(group, 1);
    return parseTokens(last?.tokens ?? '[]');
  }

  /**
   * Returns the group whose versions are meant; null for all that have had the id. For properties of its range a restricted
   * reader sees only the last of these groups, which is judged by its last state: the others may have been of somebody else.
   * @throws UserGroupRenamed, `absent` if the group does not exist for the reader
   */
  async seenTeam(
    reader: GroupReader,
    providedId: string,
    teamId: number | null,
    absent: UserGroupNotFound,
  ): Promise<number | null> {
    const { workspaceId, range } = reader;
    if (range === null) return teamId;
    const ofId = { workspaceId, providedId, teamId: null, version: null };
    const [latest] = await this.history.list(ofId, 1);
    if (!latest || !covers(range, { ...latest, providedId })) {
      throw await this.reserved.refusal(reader, providedId, absent);
    }
    if (range.ids) return teamId;
    if (teamId !== null && teamId !== latest.id) throw absent;
    return latest.id;
  }
}
