import type { DeletedResponse } from '../../../platform/common/http/responses/response.ts';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { UserGroupNotFound } from '../group/user-group.errors.ts';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import {
  type Preconditions,
  shortHash,
} from '../../../platform/common/http/parameters/preconditions.ts';
import { mergePatch } from '../../../platform/common/json/merge-patch.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import type {
  UpdateUserGroupRequest,
  ReplaceUserGroupRequest,
} from './dto/user-group-resource.dto.ts';
import {
  toUserGroupResource,
  type UserGroupResponse,
} from './dto/user-group-resource-response.dto.ts';
import { type Mapping, mappingViolations } from '../group/mapping.ts';
import { propertiesViolations } from '../group/properties.ts';
import {
  bodyOf,
  toWanted,
  type UserGroupState,
  type WantedUserGroup,
  withDefaults,
} from '../group/user-group-fields.ts';
import { ReservedIds } from '../group/reserved-ids.ts';
import { UserGroupRepository } from '../group/user-group.repository.ts';
import type { UserGroupWrite, WrittenUserGroup } from '../writing/user-group-write.ts';
import { type Standing, statusOf } from '../status/user-group-status.ts';
import { WorkspaceRules } from '../../mapping/workspace-rules.ts';
import { UserGroupWriter } from '../writing/user-group-writer.ts';

/** A response with the entity tag of its state. */
interface TaggedResource {
  body: UserGroupResponse;
  entityTag: string;
}

/** A response to a write that may have created the group. */
export interface WrittenResource extends TaggedResource {
  created: boolean;
}

/** Serves user groups as HTTP resources: each has a URL and a state, and a write can depend on the state. */
@Injectable()
export class UserGroupResourceService {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly reserved: ReservedIds,
    private readonly writes: UserGroupWriter,
    private readonly rules: WorkspaceRules,
  ) {}

  /** @throws UserGroupNotFound, UserGroupRenamed */
  async get(caller: Caller, providedId: string): Promise<TaggedResource> {
    const { stored, rulesVersion } = await this.userGroups.read(caller, providedId);
    if (!stored) throw await this.reserved.refusal(caller, providedId);
    return this.toTagged(caller.workspaceId, providedId, { group: stored, rulesVersion });
  }

  /** Replaces the group with the body, or creates it. @throws PreconditionFailed, ValidationFailed */
  async replace(
    caller: Caller,
    providedId: string,
    { user_group_id: repeatedId, ...body }: ReplaceUserGroupRequest,
    preconditions: Preconditions,
  ): Promise<WrittenResource> {
    if (repeatedId !== undefined && repeatedId !== providedId) {
      const detail = 'The user_group_id must be that of the path.';
      throw new ValidationFailed([{ pointer: '/user_group_id', code: 'not_acceptable', detail }]);
    }
    const wanted = toWanted(body);
    const plan = () => ({ ...withDefaults(wanted), valid_until: wanted.valid_until ?? null });
    return this.write(caller, providedId, preconditions, { plan });
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
    const written = await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        if (!stored) {
          throw new UserGroupNotFound(
            'No user group of the workspace has this id; PUT of the same path creates it.',
          );
        }
        preconditions.requireVersion(versionTagOf(stored));
        return patched(stored, dto);
      },
    });
    return this.toTagged(caller.workspaceId, providedId, written);
  }

  /**
   * Removes the group with everything that belongs to it; its tokens end at once.
   * @throws UserGroupNotFound, PreconditionFailed, ChangeRefused
   */
  async delete(
    caller: Caller,
    providedId: string,
    preconditions: Preconditions,
  ): Promise<DeletedResponse> {
    await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        if (!stored) throw new UserGroupNotFound();
        preconditions.requireVersion(versionTagOf(stored));
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

  /** Writes what `plan` returns, if the preconditions hold. @throws PreconditionFailed, ValidationFailed */
  async write(
    caller: Caller,
    providedId: string,
    preconditions: Preconditions,
    { plan, details }: Pick<UserGroupWrite, 'plan' | 'details'>,
  ): Promise<WrittenResource> {
    const written = await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        preconditions.requireVersion(stored && versionTagOf(stored));
        return plan(stored);
      },
      ...(details && { details }),
    });
    return {
      created: written.result === 'created',
      ...(await this.toTagged(caller.workspaceId, providedId, written)),
    };
  }

  private async setSuspended(
    caller: Caller,
    providedId: string,
    suspended: boolean,
  ): Promise<UserGroupResponse> {
    const written = await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        if (!stored) throw new UserGroupNotFound();
        return { suspended };
      },
    });
    return (await this.toTagged(caller.workspaceId, providedId, written)).body;
  }

  /** @param found with the version of the rules at the same moment */
  private async toTagged(
    workspaceId: number,
    providedId: string,
    { group, rulesVersion }: Pick<WrittenUserGroup, 'group' | 'rulesVersion'>,
  ): Promise<TaggedResource> {
    const { rules } = await this.rules.at(workspaceId, rulesVersion);
    const resource = toUserGroupResource(group, providedId, statusOf(group, rules));
    return {
      body: { success: 1, user_group: resource },
      entityTag: entityTagOfGroup(group, resource),
    };
  }
}

/** A resource never contains the token. */
function resourceWrite(caller: Caller, providedId: string) {
  return { caller, providedId, showsToken: false };
}

/** Returns the entity tag that a write is compared with: each change of a group gives it the next version. */
export function versionTagOf({ id, version }: UserGroupState): string {
  return `"${id}.${version}"`;
}

/** Returns a strong entity tag. A status that the clock or a rule gives the group is part of it, after a colon. */
export function entityTagOfGroup(group: UserGroupState, { status, reasons }: Standing): string {
  const tag = versionTagOf(group);
  return reasons.length === 0 ? tag : `${tag.slice(0, -1)}:${shortHash({ status, reasons })}"`;
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
