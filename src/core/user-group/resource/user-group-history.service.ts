import { Injectable } from '@nestjs/common';
import type { Caller, GroupReader } from '../../../platform/common/access/caller.ts';
import { covers } from '../../../platform/common/access/user-group-range.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import {
  limitOf,
  positionOf,
  readPage,
  toPage,
} from '../../../platform/common/http/parameters/page.dto.ts';
import type { Preconditions } from '../../../platform/common/http/parameters/preconditions.ts';
import {
  HistoryBeginsLater,
  UserGroupNotFound,
  UserGroupVersionNotFound,
} from '../group/user-group.errors.ts';
import { DAY_MS, currentTime, fromWireTime, toWireTime } from '../../../platform/common/time.ts';
import { Config } from '../../../platform/config/config.ts';
import { PastRulesReader } from '../../mapping/past-rules.ts';
import { contentOf } from '../group/user-group-fields.ts';
import { sizeOfGroup } from '../group/user-group.repository.ts';
import { parseTokens, pastReasonOf, type PastToken, tokensAt } from '../history/past-tokens.ts';
import {
  UserGroupHistoryRepository,
  type UserGroupVersionState,
} from '../history/user-group-history.repository.ts';
import { VersionAuthors } from '../history/version-authors.ts';
import { differencesBetween } from '../history/version-changes.ts';
import { type GroupStatus, statusOf } from '../status/user-group-status.ts';
import { type InactiveReason, isEndedTogether } from '../token/token-validity.ts';
import { type GetUserGroupResponse, toPastTokenView } from './dto/past-response.dto.ts';
import { toUserGroupResource } from './dto/user-group-resource-response.dto.ts';
import type { TeamQueryDto, VersionQueryDto, VersionsQueryDto } from './dto/versions-query.dto.ts';
import {
  toVersionContentView,
  toVersionView,
  type UserGroupVersionResponse,
  type UserGroupVersionsResponse,
} from './dto/versions-response.dto.ts';
import { UserGroupResourceService, type WrittenResource } from './user-group-resource.service.ts';

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

/** A version with the one before it, if that is kept. */
interface FoundVersion {
  state: UserGroupVersionState;
  before: UserGroupVersionState | undefined;
}

/** Reads and restores the states that groups have had. A deleted group has them, too. */
@Injectable()
export class UserGroupHistory {
  constructor(
    private readonly history: UserGroupHistoryRepository,
    private readonly authors: VersionAuthors,
    private readonly resources: UserGroupResourceService,
    private readonly pastRules: PastRulesReader,
    private readonly config: Config,
    private readonly gate: Gate,
  ) {}

  /** Lists one page of the versions of all groups that have had the id, the newest first. @throws UserGroupNotFound */
  async list(
    caller: Caller,
    providedId: string,
    query: VersionsQueryDto,
  ): Promise<UserGroupVersionsResponse> {
    const { workspaceId } = caller;
    const teamId = await this.seenTeam(caller, providedId, query, new UserGroupNotFound());
    const filters = { workspaceId, providedId, teamId, version: null };
    const position = positionOf(query, ['number', 'number']);
    const { found, limit } = await readPage<UserGroupVersionState>(
      limitOf(query),
      sizeOfGroup,
      (count, last) => this.history.list(filters, count, last ? keysOf(last) : position),
    );
    if (found.length === 0 && !position) throw new UserGroupNotFound();
    const { rows, ...next } = toPage(found, limit, keysOf);
    const known = await this.authors.addTo(workspaceId, providedId, rows);
    const views = known.map((state, index) =>
      toVersionView(state, predecessorOf(state, found[index + 1]), showsAuthors(caller)),
    );
    return { success: 1, versions: views, ...next };
  }

  /** @throws UserGroupNotFound, UserGroupVersionNotFound */
  async get(
    caller: Caller,
    providedId: string,
    version: number,
    query: VersionQueryDto,
  ): Promise<UserGroupVersionResponse> {
    const { workspaceId } = caller;
    const { compare_with } = query;
    const teamId = await this.seenTeam(caller, providedId, query, new UserGroupNotFound());
    const { state, before } = await this.find(workspaceId, providedId, version, teamId);
    // The last millisecond of the state.
    const at =
      state.replacedAt === null ? currentTime() : Math.max(state.updatedAt, state.replacedAt - 1);
    const { standing } = await this.judge({ workspaceId, providedId }, state, at);
    const [known] = await this.authors.addTo(workspaceId, providedId, [state]);
    const response = {
      success: 1 as const,
      version: toVersionContentView(known!, before, standing, showsAuthors(caller)),
    };
    if (compare_with === undefined) return response;
    const other = await this.find(workspaceId, providedId, Number(compare_with), state.id);
    return { ...response, differences: differencesBetween(other.state, state) };
  }

  /**
   * Returns the group as it was at a time, and which of its tokens were accepted then.
   * @throws UserGroupNotFound, HistoryBeginsLater
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
    const teamId = await this.seenTeam(caller, providedId, {}, absent);
    const state = await this.history.findAt({ workspaceId, providedId }, at);
    if (!state || state.createdAt > at || (teamId ?? state.id) !== state.id) throw absent;
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
  private async judge(
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
   * Writes the name, mapping and properties of a version; if the group is deleted, creates one again, suspended if it
   * was.
   * @throws UserGroupNotFound, UserGroupVersionNotFound, PreconditionFailed, ValidationFailed
   */
  async restore(
    caller: Caller,
    providedId: string,
    version: number,
    query: TeamQueryDto,
    preconditions: Preconditions,
  ): Promise<WrittenResource> {
    const teamId = await this.seenTeam(caller, providedId, query, new UserGroupNotFound());
    const { state } = await this.find(caller.workspaceId, providedId, version, teamId);
    const content = contentOf(state);
    const { name, mapping, properties } = content;
    return this.resources.write(caller, providedId, preconditions, {
      plan: (stored) => (stored ? { name, mapping, properties } : content),
      details: { restored_team_id: state.id, restored_version: version },
    });
  }

  /**
   * Returns the group whose versions are meant; null for all that have had the id. For properties of its range a restricted
   * reader sees only the last of these groups, which is judged by its last state: the others may have been of somebody else.
   * @throws `absent` if the group does not exist for the reader
   */
  private async seenTeam(
    { workspaceId, range }: GroupReader,
    providedId: string,
    { team_id }: TeamQueryDto,
    absent: UserGroupNotFound,
  ): Promise<number | null> {
    const teamId = numberOf(team_id);
    if (range === null) return teamId;
    const ofId = { workspaceId, providedId, teamId: null, version: null };
    const [latest] = await this.history.list(ofId, 1);
    if (!latest || !covers(range, { ...latest, providedId })) throw absent;
    if (range.ids) return teamId;
    if (teamId !== null && teamId !== latest.id) throw absent;
    return latest.id;
  }

  /** @param teamId null for the latest group that has had the id */
  private async find(
    workspaceId: number,
    providedId: string,
    version: number,
    teamId: number | null,
  ): Promise<FoundVersion> {
    const filters = { workspaceId, providedId, teamId, version: null };
    const [latest] = await this.history.list(filters, 1);
    if (!latest) throw new UserGroupNotFound();
    const ofGroup = { ...filters, teamId: latest.id };
    const [state, before] = await this.history.list(ofGroup, 2, [latest.id, version + 1]);
    if (state?.version !== version) throw new UserGroupVersionNotFound();
    return { state, before: predecessorOf(state, before) };
  }
}

function numberOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

function keysOf({ id, version }: UserGroupVersionState): [number, number] {
  return [id, version];
}

/** @param next the version that follows in the list */
function predecessorOf(
  { id, version }: UserGroupVersionState,
  next: UserGroupVersionState | undefined,
) {
  return next?.id === id && next.version === version - 1 ? next : undefined;
}

function showsAuthors({ scopes, range }: Caller): boolean {
  return scopes.has('audit:read') && range === null;
}
