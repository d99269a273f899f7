import type { DeletedResponse } from '../../common/http/responses/response.ts';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/access/caller.ts';
import { UserGroupNotFound, ValidationFailed } from '../../common/problem/errors.ts';
import type { Preconditions } from '../../common/http/parameters/preconditions.ts';
import { mergePatch } from '../../common/json/merge-patch.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import type { UpdateUserGroupRequest, ReplaceUserGroupRequest } from './dto/user-group-resource.dto.ts';
import { toUserGroupResource, type UserGroupResponse } from './dto/user-group-resource-response.dto.ts';
import { type Mapping, mappingViolations } from '../group/mapping.ts';
import { propertiesViolations } from '../group/properties.ts';
import {
  bodyOf,
  toWanted,
  type UserGroupState,
  type WantedUserGroup,
  withDefaults,
} from '../group/user-group-fields.ts';
import { UserGroupRepository } from '../group/user-group.repository.ts';
import { UserGroupWriter } from '../writing/user-group-writer.ts';

/** A response with the entity tag of its state. */
interface TaggedResource {
  answer: UserGroupResponse;
  entityTag: string;
}

/** Serves user groups as HTTP resources: each has a URL and a state, and a write can depend on the state. */
@Injectable()
export class UserGroupResourceService {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly writes: UserGroupWriter,
  ) {}

  /** @throws UserGroupNotFound */
  async get({ workspaceId }: Caller, providedId: string): Promise<TaggedResource> {
    const { stored } = await this.userGroups.read(workspaceId, providedId);
    if (!stored) throw new UserGroupNotFound();
    return toTagged(stored, providedId);
  }

  /** Replaces the group with the body, or creates it. @throws PreconditionFailed, ValidationFailed */
  async replace(
    caller: Caller,
    providedId: string,
    { user_group_id: repeatedId, ...body }: ReplaceUserGroupRequest,
    preconditions: Preconditions,
  ): Promise<{ created: boolean; answer: UserGroupResponse }> {
    if (repeatedId !== undefined && repeatedId !== providedId) {
      const detail = 'The user_group_id must be that of the path.';
      throw new ValidationFailed([{ pointer: '/user_group_id', code: 'not_acceptable', detail }]);
    }
    const { result, group } = await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        preconditions.require(stored && versionTagOf(stored));
        return withDefaults(toWanted(body));
      },
    });
    return { created: result === 'created', answer: toAnswer(group, providedId) };
  }

  /**
   * Changes the members of the patch. Concurrent patches of different members are all kept.
   * @throws UserGroupNotFound, PreconditionFailed, ValidationFailed
   */
  async patch(
    caller: Caller,
    providedId: string,
    dto: UpdateUserGroupRequest,
    preconditions: Preconditions,
  ): Promise<TaggedResource> {
    const { group } = await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        if (!stored)
          throw new UserGroupNotFound('No user group of the workspace has this id; PUT of the same path creates it.');
        preconditions.require(versionTagOf(stored));
        return patched(stored, dto);
      },
    });
    return toTagged(group, providedId);
  }

  /**
   * Removes the group with everything that belongs to it; its tokens end at once.
   * @throws UserGroupNotFound, PreconditionFailed, ChangeRefused
   */
  async delete(caller: Caller, providedId: string, preconditions: Preconditions): Promise<DeletedResponse> {
    await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        if (!stored) throw new UserGroupNotFound();
        preconditions.require(versionTagOf(stored));
        return 'removal';
      },
    });
    return { success: 1 };
  }

  /**
   * Suspends the group: from the response on none of its tokens can be introspected, until it is resumed. It can still
   * be looked up, written and rotated. Repeating it changes nothing.
   * @throws UserGroupNotFound
   */
  suspend(caller: Caller, providedId: string): Promise<UserGroupResponse> {
    return this.setSuspended(caller, providedId, true);
  }

  /** Reverts `suspend`: otherwise valid tokens can be introspected again. @throws UserGroupNotFound */
  resume(caller: Caller, providedId: string): Promise<UserGroupResponse> {
    return this.setSuspended(caller, providedId, false);
  }

  private async setSuspended(caller: Caller, providedId: string, suspended: boolean): Promise<UserGroupResponse> {
    const { group } = await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        if (!stored) throw new UserGroupNotFound();
        return { suspended };
      },
    });
    return toAnswer(group, providedId);
  }
}

/** A resource never contains the token. */
function resourceWrite(caller: Caller, providedId: string) {
  return { caller, providedId, showsToken: false };
}

function toAnswer(group: UserGroupState, providedId: string): UserGroupResponse {
  return { success: 1, user_group: toUserGroupResource(group, providedId) };
}

function toTagged(group: UserGroupState, providedId: string): TaggedResource {
  return { answer: toAnswer(group, providedId), entityTag: versionTagOf(group) };
}

/** Returns a strong entity tag: each change of a group gives it the next version. */
function versionTagOf({ id, version }: UserGroupState): string {
  return `"${id}.${version}"`;
}

/** Applies the patch to its fields. @throws ValidationFailed if a result breaks a rule */
function patched(stored: UserGroupState, patch: UpdateUserGroupRequest): WantedUserGroup {
  const content = bodyOf(stored);
  const mapping = merged(content.mapping, patch.mapping) as Mapping | undefined;
  const properties = merged(content.properties, patch.properties);
  const violations = [
    ...(mapping ? mappingViolations(mapping, '/mapping') : []),
    ...(properties ? propertiesViolations(properties, '/properties') : []),
  ];
  if (violations.length > 0) throw new ValidationFailed(violations);
  return toWanted({ ...patch, mapping, properties });
}

function merged(target: JsonObject, patch: JsonObject | null | undefined): JsonObject | undefined {
  if (patch === undefined) return undefined;
  return patch === null ? {} : mergePatch(target, patch);
}
