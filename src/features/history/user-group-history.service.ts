import { Injectable } from '@nestjs/common';
import { contentOf } from '../../core/user-group/group/user-group-fields.ts';
import { UserGroupNotFound } from '../../core/user-group/group/user-group.errors.ts';
import { ReservedIds } from '../../core/user-group/group/reserved-ids.ts';
import { sizeOfGroup } from '../../core/user-group/group/user-group.repository.ts';
import {
  UserGroupHistoryRepository,
  type UserGroupVersionState,
} from '../../core/user-group/history/user-group-history.repository.ts';
import { UserGroupPast } from '../../core/user-group/resource/user-group-past.ts';
import {
  UserGroupResourceService,
  type WrittenResource,
} from '../../core/user-group/resource/user-group-resource.service.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import {
  limitOf,
  positionOf,
  readPage,
  toPage,
} from '../../platform/common/http/parameters/page.dto.ts';
import type { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import { currentTime } from '../../platform/common/time.ts';
import type { TeamQueryDto, VersionQueryDto, VersionsQueryDto } from './dto/versions-query.dto.ts';
import {
  toVersionContentView,
  toVersionView,
  type UserGroupVersionResponse,
  type UserGroupVersionsResponse,
} from './dto/versions-response.dto.ts';
import { UserGroupVersionNotFound } from './history.errors.ts';
import { VersionAuthors } from './version-authors.ts';
import { differencesBetween } from './version-changes.ts';

/** A version with the one before it, if that is kept. */
interface FoundVersion {
  state: UserGroupVersionState;
  before: UserGroupVersionState | undefined;
}

/** Lists, compares and restores the states that groups have had. A deleted group has them, too. */
@Injectable()
export class UserGroupHistory {
  constructor(
    private readonly history: UserGroupHistoryRepository,
    private readonly authors: VersionAuthors,
    private readonly reserved: ReservedIds,
    private readonly resources: UserGroupResourceService,
    private readonly past: UserGroupPast,
  ) {}

  /** Lists one page of the versions of all groups that have had the id, the newest first. @throws UserGroupNotFound, UserGroupRenamed */
  async list(
    caller: Caller,
    providedId: string,
    query: VersionsQueryDto,
  ): Promise<UserGroupVersionsResponse> {
    const { workspaceId } = caller;
    const teamId = await this.seenTeam(caller, providedId, query);
    const filters = { workspaceId, providedId, teamId, version: null };
    const position = positionOf(query, ['number', 'number']);
    const { found, limit } = await readPage<UserGroupVersionState>(
      limitOf(query),
      sizeOfGroup,
      (count, last) => this.history.list(filters, count, last ? keysOf(last) : position),
    );
    if (found.length === 0 && !position) throw await this.reserved.refusal(caller, providedId);
    const { rows, ...next } = toPage(found, limit, keysOf);
    const known = await this.authors.addTo(workspaceId, rows);
    const views = known.map((state, index) =>
      toVersionView(state, predecessorOf(state, found[index + 1]), showsAuthors(caller)),
    );
    return { success: 1, versions: views, ...next };
  }

  /** @throws UserGroupNotFound, UserGroupRenamed, UserGroupVersionNotFound */
  async get(
    caller: Caller,
    providedId: string,
    version: number,
    query: VersionQueryDto,
  ): Promise<UserGroupVersionResponse> {
    const { workspaceId } = caller;
    const { compare_with } = query;
    const teamId = await this.seenTeam(caller, providedId, query);
    const { state, before } = await this.find(caller, providedId, version, teamId);
    // The last millisecond of the state.
    const at =
      state.replacedAt === null ? currentTime() : Math.max(state.updatedAt, state.replacedAt - 1);
    const { standing } = await this.past.judge({ workspaceId, providedId }, state, at);
    const [known] = await this.authors.addTo(workspaceId, [state]);
    const response = {
      success: 1 as const,
      version: toVersionContentView(known!, before, standing, showsAuthors(caller)),
    };
    if (compare_with === undefined) return response;
    const other = await this.find(caller, providedId, Number(compare_with), state.id);
    return { ...response, differences: differencesBetween(other.state, state) };
  }

  /**
   * Writes the name, mapping and properties of a version; if the group is deleted, creates one again, suspended if it
   * was.
   * @throws UserGroupNotFound, UserGroupRenamed, UserGroupVersionNotFound, PreconditionFailed, ValidationFailed
   */
  async restore(
    caller: Caller,
    providedId: string,
    version: number,
    query: TeamQueryDto,
    preconditions: Preconditions,
  ): Promise<WrittenResource> {
    const teamId = await this.seenTeam(caller, providedId, query);
    const { state } = await this.find(caller, providedId, version, teamId);
    const content = contentOf(state);
    const { name, mapping, properties } = content;
    return this.resources.write(caller, providedId, preconditions, {
      plan: (stored) => (stored ? { name, mapping, properties } : content),
      details: { restored_team_id: state.id, restored_version: version },
    });
  }

  private seenTeam(
    caller: Caller,
    providedId: string,
    { team_id }: TeamQueryDto,
  ): Promise<number | null> {
    const teamId = team_id === undefined ? null : Number(team_id);
    return this.past.seenTeam(caller, providedId, teamId, new UserGroupNotFound());
  }

  /** @param teamId null for the latest group that has had the id */
  private async find(
    caller: Caller,
    providedId: string,
    version: number,
    teamId: number | null,
  ): Promise<FoundVersion> {
    const { workspaceId } = caller;
    const filters = { workspaceId, providedId, teamId, version: null };
    const [latest] = await this.history.list(filters, 1);
    if (!latest) throw await this.reserved.refusal(caller, providedId);
    const ofGroup = { ...filters, teamId: latest.id };
    const [state, before] = await this.history.list(ofGroup, 2, [latest.id, version + 1]);
    if (state?.version !== version) throw new UserGroupVersionNotFound();
    return { state, before: predecessorOf(state, before) };
  }
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
