import type { DeletedAnswer } from '../../common/http/deleted-answer.dto.ts';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.ts';
import type { Caller } from '../../common/caller.ts';
import { UserGroupNotFound, ValidationFailed } from '../../common/errors.ts';
import { entityTagOf, type Preconditions } from '../../common/http/preconditions.ts';
import { mergePatch } from '../../common/json/merge-patch.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import { ChangeFeed } from '../../database/change-feed.ts';
import type { UserGroupRules } from '../../registry/mapping/user-group-rules.ts';
import { WorkspaceRules } from '../../registry/mapping/workspace-rules.ts';
import { summarise } from '../../audit/summarise.ts';
import type { PatchUserGroupDto, ReplaceUserGroupDto } from './dto/user-group-resource.dto.ts';
import {
  toUserGroupResource,
  type UserGroupResourceAnswer,
} from './dto/user-group-resource-answer.dto.ts';
import { fromStoredMapping, type Mapping, mappingViolations } from '../group/mapping.ts';
import { propertiesViolations } from '../group/properties.ts';
import { deletionOf } from '../group/change-request.ts';
import type { UserGroupChangeRequest } from '../group/user-group-change-guard.ts';
import { UserGroupChangeVeto } from '../group/user-group-change-veto.ts';
import { UserGroupQuota } from '../group/user-group-quota.ts';
import { TokenIssuer } from '../token/token-issuer.ts';
import { UserGroupRepository, type UserGroupState } from '../group/user-group.repository.ts';
import { UserGroupWrites } from '../group/user-group-writes.ts';
import type { WantedUserGroup } from '../group/wanted-user-group.ts';

/** Serves user groups as HTTP resources: each has a URL and a state, and a write can depend on the state. */
@Injectable()
export class UserGroupResourceService {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly writes: UserGroupWrites,
    private readonly issuer: TokenIssuer,
    private readonly rules: WorkspaceRules,
    private readonly quota: UserGroupQuota,
    private readonly veto: UserGroupChangeVeto,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /** @throws UserGroupNotFound */
  async get({ workspaceId }: Caller, providedId: string): Promise<UserGroupResourceAnswer> {
    const stored = await this.userGroups.find({ workspaceId, providedId }, true);
    if (!stored) throw new UserGroupNotFound();
    return toAnswer(stored, providedId);
  }

  /**
   * Replaces the group with the body, or creates it.
   * @throws PreconditionFailed, ValidationFailed
   */
  async replace(
    caller: Caller,
    providedId: string,
    { name, mapping, properties, user_group_id: repeatedId }: ReplaceUserGroupDto,
    preconditions: Preconditions,
  ): Promise<{ created: boolean; answer: UserGroupResourceAnswer }> {
    if (repeatedId !== undefined && repeatedId !== providedId) {
      const detail = 'The user_group_id must be that of the path.';
      throw new ValidationFailed([{ pointer: '/user_group_id', code: 'not_acceptable', detail }]);
    }
    const { result, group } = await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        preconditions.require(stored && tagOf(stored, providedId));
        return { name, mapping: mapping ?? {}, properties: properties ?? {} };
      },
    });
    return { created: result === 'created', answer: toAnswer(group, providedId) };
  }

  /**
   * Changes what the patch names. Concurrent patches of different members are all kept.
   * @throws UserGroupNotFound, PreconditionFailed, ValidationFailed
   */
  async patch(
    caller: Caller,
    providedId: string,
    dto: PatchUserGroupDto,
    preconditions: Preconditions,
  ): Promise<UserGroupResourceAnswer> {
    const { group } = await this.writes.write({
      ...resourceWrite(caller, providedId),
      plan: (stored) => {
        if (!stored) throw new UserGroupNotFound();
        preconditions.require(tagOf(stored, providedId));
        return patched(stored, dto);
      },
    });
    return toAnswer(group, providedId);
  }

  /**
   * Removes the group with everything that belongs to it; none of its tokens is valid from then on.
   * @throws UserGroupNotFound, PreconditionFailed, ChangeRefused
   */
  async delete(
    caller: Caller,
    providedId: string,
    preconditions: Preconditions,
  ): Promise<DeletedAnswer> {
    const { workspaceId } = caller;
    const remove = async (manager: EntityManager, rules: UserGroupRules): Promise<number> => {
      await this.quota.lockRoom(manager, workspaceId, rules);
      const stored = await this.userGroups.lock(manager, { workspaceId, providedId });
      if (!stored) throw new UserGroupNotFound();
      preconditions.require(tagOf(stored, providedId));
      if (this.veto.isHeld) await this.askGuard(manager, deletionOf(caller, providedId, stored));
      const { id, name } = stored;
      await this.issuer.lockTokens(manager, id);
      await this.userGroups.remove(manager, { workspaceId, id });
      await this.quota.add(manager, workspaceId, rules, -1);
      this.auditLog.record(manager, caller, {
        action: 'user_group.delete',
        object: { type: 'user_group', id: providedId },
        userGroupId: id,
        version: stored.version! + 1,
        before: {
          name,
          mapping: summarise(fromStoredMapping(stored.mapping)),
          properties: summarise(JSON.parse(stored.properties) as JsonObject),
        },
        details: { team_id: id },
      });
      return id;
    };
    const userGroupId = await this.veto.inTurn(workspaceId, () =>
      this.rules.runWithSharedLock(workspaceId, remove),
    );
    this.changes.announce({ workspaceId, userGroupId });
    return { success: 1 };
  }

  private async askGuard(manager: EntityManager, request: UserGroupChangeRequest): Promise<void> {
    const { workspaceId } = request.caller;
    const refusal = (await this.veto.ask([request], { manager, workspaceId })).get(request);
    if (refusal) throw refusal;
  }

  /**
   * Suspends the group: from the answer on none of its tokens can be introspected, until it is
   * resumed. Everything else goes on: it can be looked up, written and rotated. Repeating it
   * changes nothing.
   * @throws UserGroupNotFound
   */
  suspend(caller: Caller, providedId: string): Promise<UserGroupResourceAnswer> {
    return this.setSuspended(caller, providedId, true);
  }

  /** Undoes `suspend`: tokens that are otherwise valid can be introspected again. @throws UserGroupNotFound */
  resume(caller: Caller, providedId: string): Promise<UserGroupResourceAnswer> {
    return this.setSuspended(caller, providedId, false);
  }

  private async setSuspended(
    caller: Caller,
    providedId: string,
    suspended: boolean,
  ): Promise<UserGroupResourceAnswer> {
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

/** A resource shows the mapping, never the token. */
function resourceWrite(caller: Caller, providedId: string) {
  return { caller, providedId, withMapping: true, showsToken: false };
}

function toAnswer(group: UserGroupState, providedId: string): UserGroupResourceAnswer {
  return { success: 1, user_group: toUserGroupResource(group, providedId) };
}

function tagOf(group: UserGroupState, providedId: string): string {
  return entityTagOf(toUserGroupResource(group, providedId));
}

/** Applies the patch to the fields that it names. @throws ValidationFailed if a result breaks a rule */
function patched(stored: UserGroupState, dto: PatchUserGroupDto): WantedUserGroup {
  const mapping = merged(fromStoredMapping(stored.mapping), dto.mapping);
  const properties = merged(JSON.parse(stored.properties) as JsonObject, dto.properties);
  const violations = [
    ...(mapping ? mappingViolations(mapping, '/mapping') : []),
    ...(properties ? propertiesViolations(properties, '/properties') : []),
  ];
  if (violations.length > 0) throw new ValidationFailed(violations);
  return { name: dto.name, mapping: mapping as Mapping | undefined, properties };
}

function merged(target: JsonObject, patch: JsonObject | null | undefined): JsonObject | undefined {
  if (patch === undefined) return undefined;
  return patch === null ? {} : mergePatch(target, patch);
}
