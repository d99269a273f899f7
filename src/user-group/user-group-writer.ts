import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log';
import { summarised } from '../audit/summarised';
import type { Caller } from '../common/caller';
import type { JsonObject } from '../common/json/strict-json';
import { readResolvedMapping, toStoredMapping } from '../registry/resolved-mapping';
import type { Rules } from '../registry/rules';
import { changesOf } from './changes';
import { ImportedTokens } from './imported-tokens';
import { isStoredMapping } from './mapping';
import { UserGroupAdmission } from './user-group-admission';
import { UserGroupQuota } from './user-group-quota';
import { UserGroupTokenService } from './user-group-token.service';
import { UserGroupRepository, type UserGroupState } from './user-group.repository';
import {
  differsInContent,
  differsInFields,
  type NamedUserGroup,
  newTokenOf,
  type WantedUserGroup,
} from './wanted-user-group';

/** By whom and under which rules a transaction writes. */
export interface WriteContext {
  caller: Caller;
  /** Those of the caller's workspace, which the transaction holds (`WorkspaceRules.hold`). */
  rules: Rules;
  /** What each event in the audit log says besides the team_id. */
  details?: object;
}

/** A group that is locked, with the hash of its token where another may be wanted. */
type LockedUserGroup = UserGroupState & { tokenHash?: Buffer };

/**
 * The one way in which a group comes to be or gets other content, whatever the operation, with its
 * events in the audit log. Whatever it refuses it refuses before it has written anything.
 */
@Injectable()
export class UserGroupWriter {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly admission: UserGroupAdmission,
    private readonly tokens: UserGroupTokenService,
    private readonly importedTokens: ImportedTokens,
    private readonly quota: UserGroupQuota,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Undefined if another caller has created the group in the meantime.
   * @throws ValidationFailed, InsufficientScope, TokenNotUsable, UserGroupQuotaReached
   */
  async create(
    manager: EntityManager,
    { caller, rules, details }: WriteContext,
    wanted: NamedUserGroup,
  ): Promise<{ state: UserGroupState; token: string } | undefined> {
    const { workspaceId } = caller;
    const { providedId, name, properties = {}, mapping = {}, suspended = false } = wanted;
    const content = { properties, mapping };
    const entries = await this.admission.admit(manager, { workspaceId, rules }, content, []);
    if (wanted.token !== undefined) {
      await this.importedTokens.requireSettable(manager, caller, wanted.token);
    }
    await this.quota.take(manager, workspaceId, rules);
    const fields = {
      name,
      properties: JSON.stringify(properties),
      suspendedAt: suspended ? Date.now() : null,
    };
    const row = await this.userGroups.insert(manager, { workspaceId, providedId, ...fields });
    if (!row) {
      await this.quota.giveBack(manager, workspaceId, rules);
      return undefined;
    }
    const { id, createdAt } = row;
    const generation = { workspaceId, userGroupId: id, generation: 1 };
    const token = await this.tokens.issue(manager, generation, wanted.token);
    await this.userGroups.insertMapping(manager, id, entries);
    await this.auditLog.record(manager, caller, {
      action: 'user_group.create',
      object: { type: 'user_group', id: providedId },
      after: {
        name,
        mapping: summarised(mapping),
        properties: summarised(properties),
        ...(suspended && { suspended }),
      },
      details: { team_id: id, ...details },
    });
    const mappingText = toStoredMapping(entries);
    return {
      state: { id, ...fields, mapping: mappingText, createdAt, updatedAt: createdAt },
      token,
    };
  }

  /**
   * Stores what differs.
   * @param stored the group as it is, with its mapping, locked by `manager`
   * @returns the group as it is then
   * @throws ValidationFailed, InsufficientScope, TokenNotUsable
   */
  async update(
    manager: EntityManager,
    context: WriteContext,
    stored: LockedUserGroup,
    wanted: WantedUserGroup,
  ): Promise<UserGroupState> {
    const { caller, details = {} } = context;
    const token = newTokenOf(stored, wanted);
    if (token !== undefined) {
      await this.importedTokens.requireSettable(manager, caller, token);
    }
    const state = differsInFields(stored, wanted)
      ? await this.updateFields(manager, context, stored, wanted)
      : stored;
    if (token !== undefined) {
      const group = { id: stored.id, providedId: wanted.providedId, token };
      await this.importedTokens.replace(manager, caller, group, details);
    }
    return state;
  }

  private async updateFields(
    manager: EntityManager,
    { caller, rules, details }: WriteContext,
    stored: UserGroupState,
    wanted: WantedUserGroup,
  ): Promise<UserGroupState> {
    const { workspaceId } = caller;
    const { id } = stored;
    const fields = {
      name: wanted.name ?? stored.name,
      properties: wanted.properties ? JSON.stringify(wanted.properties) : stored.properties,
      suspendedAt: suspendedAtOf(stored, wanted),
    };
    const known = readResolvedMapping(stored.mapping);
    const content = {
      properties: JSON.parse(fields.properties) as JsonObject,
      mapping: wanted.mapping,
    };
    // Suspending and resuming are open to a group whatever it lacks.
    const entries = differsInContent(stored, wanted)
      ? await this.admission.admit(manager, { workspaceId, rules }, content, known)
      : known;
    const updatedAt = await this.userGroups.update(manager, { workspaceId, id, ...fields });
    if (wanted.mapping && !isStoredMapping(stored.mapping, wanted.mapping)) {
      await this.userGroups.replaceMapping(manager, id, entries);
    }
    await this.auditLog.record(manager, caller, {
      action: 'user_group.update',
      object: { type: 'user_group', id: wanted.providedId },
      ...changesOf(stored, wanted),
      details: { team_id: id, ...details },
    });
    return { ...stored, ...fields, mapping: toStoredMapping(entries), updatedAt };
  }
}

/** A group that is suspended stays so since when it was. */
function suspendedAtOf(
  { suspendedAt }: UserGroupState,
  { suspended }: WantedUserGroup,
): number | null {
  if (suspended === undefined) return suspendedAt;
  return suspended ? (suspendedAt ?? Date.now()) : null;
}
