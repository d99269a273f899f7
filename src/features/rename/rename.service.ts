import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../core/audit/audit-log.ts';
import { ChangeFeed } from '../../core/change-log/change-feed.ts';
import { IdempotentCalls } from '../../core/idempotency/idempotent-calls.ts';
import { WorkspaceRules } from '../../core/mapping/workspace-rules.ts';
import { ReservedIds } from '../../core/user-group/group/reserved-ids.ts';
import {
  OutsideTokenRange,
  UserGroupNotFound,
  UserGroupRenamed,
} from '../../core/user-group/group/user-group.errors.ts';
import { contentOf } from '../../core/user-group/group/user-group-fields.ts';
import {
  type StoredUserGroup,
  UserGroupRepository,
} from '../../core/user-group/group/user-group.repository.ts';
import { UserGroupChangeVeto } from '../../core/user-group/guard/user-group-change-veto.ts';
import {
  toUserGroupResource,
  type UserGroupResponse,
} from '../../core/user-group/resource/dto/user-group-resource-response.dto.ts';
import {
  entityTagOfGroup,
  versionTagOf,
} from '../../core/user-group/resource/user-group-resource.service.ts';
import { statusOf } from '../../core/user-group/status/user-group-status.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { covers, seenBy } from '../../platform/common/access/user-group-range.ts';
import type { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import { currentTime, DAY_MS } from '../../platform/common/time.ts';
import { Statements } from '../../platform/database/statements.ts';
import { UserGroupIdTaken } from './rename.errors.ts';
import { endReservation, keepVersion, reserve, setId } from './rename.statements.ts';

/** Time for which no other group can get the former id of a renamed one. */
const RESERVED_MS = 30 * DAY_MS;

/** A response with the entity tag of its state. */
export interface RenamedGroup {
  body: UserGroupResponse;
  entityTag: string;
}

/** The change of the id of a group. */
interface Renaming {
  caller: Caller;
  formerId: string;
  newId: string;
  preconditions: Preconditions;
}

/**
 * Gives user groups other ids. A rename holds the exclusive lock of the rules of its workspace, and gives them another
 * version. No group is created meanwhile, neither by the old id nor by the new one, and a creation that began before it is
 * retried.
 */
@Injectable()
export class UserGroupRenames {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly reserved: ReservedIds,
    private readonly rules: WorkspaceRules,
    private readonly veto: UserGroupChangeVeto,
    private readonly calls: IdempotentCalls,
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Gives a group another id, and keeps its former one from other groups for 30 days. Its token, `team_id`, history and
   * counts stay. The id that it has changes nothing.
   * @throws UserGroupNotFound, UserGroupRenamed, UserGroupIdTaken, OutsideTokenRange, PreconditionFailed, ChangeRefused,
   *   ExtensionUnavailable, AuditUnavailable, IdempotencyKeyReused, IdempotencyKeySpent, DatabaseUnavailable
   */
  async rename(
    caller: Caller,
    formerId: string,
    newId: string,
    preconditions: Preconditions,
    key?: string,
  ): Promise<RenamedGroup> {
    const { workspaceId } = caller;
    const renaming = { caller, formerId, newId, preconditions };
    const call = { key, request: ['user_group.rename', formerId, newId] };
    const renamed = await this.veto.inTurn(workspaceId, () =>
      this.calls.run(caller, call, (manager) => this.renameIn(manager, renaming)),
    );
    const userGroupId = renamed.body.user_group.team_id;
    this.changes.announce({ workspaceId, userGroupId });
    return renamed;
  }

  private async renameIn(manager: EntityManager, renaming: Renaming): Promise<RenamedGroup> {
    const { caller, formerId, newId } = renaming;
    const { workspaceId } = caller;
    // A call that is refused, or changes nothing, locks nothing.
    const early = await this.judge(manager, renaming);
    if (newId === formerId) {
      return toRenamed(newId, early, await this.rules.read(workspaceId, manager));
    }
    const rules = await this.rules.lockExclusive(manager, workspaceId);
    await this.userGroups.lockThese(workspaceId, [formerId], true, manager);
    const stored = await this.judge(manager, renaming);
    await this.askGuards(manager, renaming, stored);
    const { id } = stored;
    const now = currentTime();
    await this.statements.run(manager, keepVersion, { workspaceId, id, now });
    const redactedId = this.auditLog.redactId(newId) ?? null;
    const [row] = await this.statements.run(manager, setId, {
      workspaceId,
      id,
      now,
      newId,
      redactedId,
    });
    await this.statements.run(manager, endReservation, { workspaceId, newId });
    const reservedUntil = now + RESERVED_MS;
    await this.statements.run(manager, reserve, { workspaceId, formerId, id, reservedUntil });
    const { version } = row!;
    await this.auditLog.record(manager, caller, {
      action: 'user_group.rename',
      object: { type: 'user_group', id: newId },
      previousId: formerId,
      userGroupId: id,
      version,
      before: { provided_id: formerId },
      after: { provided_id: newId },
      details: { team_id: id, version },
    });
    return toRenamed(newId, { ...stored, ...row! }, rules);
  }

  /**
   * Returns the group to rename.
   * @throws UserGroupNotFound, UserGroupRenamed, PreconditionFailed, OutsideTokenRange, UserGroupIdTaken
   */
  private async judge(
    manager: EntityManager,
    { caller, formerId, newId, preconditions }: Renaming,
  ): Promise<StoredUserGroup> {
    const { workspaceId, range } = caller;
    const ids = [formerId, newId];
    const found = await this.userGroups.readThese(workspaceId, ids, manager);
    const reserved = await this.reserved.find(workspaceId, ids, manager);
    const stored = seenBy(caller, found.get(formerId)!.stored);
    if (!stored) {
      const renamed = seenBy(caller, reserved.get(formerId));
      throw renamed ? new UserGroupRenamed(formerId, renamed.providedId) : new UserGroupNotFound();
    }
    preconditions.requireVersion(versionTagOf(stored));
    if (newId === formerId) return stored;
    const { properties } = stored;
    if (!covers(range, { providedId: newId, properties })) throw new OutsideTokenRange();
    const present = found.get(newId)!.stored;
    const former = reserved.get(newId);
    const holder = present ?? (former?.id === stored.id ? undefined : former);
    if (!holder) return stored;
    // The words of a group that exists for the caller would tell of one that does not.
    if (!seenBy(caller, holder)) throw new OutsideTokenRange();
    throw new UserGroupIdTaken(
      present
        ? `Another user group has the id "${newId}".`
        : `The id "${newId}" is reserved: the user group "${holder.providedId}" had it until less than 30 days ago.`,
    );
  }

  /** @throws ChangeRefused, ExtensionUnavailable; errors of a guard */
  private async askGuards(
    manager: EntityManager,
    { caller, formerId, newId }: Renaming,
    stored: StoredUserGroup,
  ): Promise<void> {
    if (!this.veto.hasGuards) return;
    const content = contentOf(stored);
    const request = {
      kind: 'rename',
      caller,
      userGroupId: formerId,
      newUserGroupId: newId,
      teamId: stored.id,
      before: content,
      after: content,
    } as const;
    const { workspaceId } = caller;
    const refusal = (await this.veto.ask([request], { manager, workspaceId })).get(request);
    if (refusal) throw refusal;
  }
}

function toRenamed(
  providedId: string,
  group: StoredUserGroup,
  rules: Parameters<typeof statusOf>[1],
): RenamedGroup {
  const resource = toUserGroupResource(group, providedId, statusOf(group, rules));
  return {
    body: { success: 1, user_group: resource },
    entityTag: entityTagOfGroup(group, resource),
  };
}
