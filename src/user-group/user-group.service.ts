import { Injectable } from '@nestjs/common';
import { ShownTokens } from '../audit/shown-tokens';
import { type Caller, requireScope } from '../common/caller';
import { DatabaseUnavailable, UserGroupNotFound } from '../common/errors';
import { ChangeFeed } from '../database/change-feed';
import { TokenCipher } from '../encryption-key/token-cipher';
import { WorkspaceRules } from '../registry/workspace-rules';
import { UserGroupDto } from './dto/user-group.dto';
import {
  type LookedUpUserGroupAnswer,
  toUserGroupView,
  type UserGroupAnswer,
} from './dto/user-group-answer.dto';
import { type StoredUserGroup, UserGroupRepository } from './user-group.repository';
import {
  type ReadableUserGroup,
  toReadable,
  toReadableWrite,
  type UserGroupWrite,
  type WrittenUserGroup,
} from './user-group-write';
import { UserGroupWriter } from './user-group-writer';
import { differs, requireName, toWanted, type WantedUserGroup } from './wanted-user-group';

/** Each lost race against another creator of the same group is followed by finding that group. */
const MAX_ATTEMPTS = 3;

@Injectable()
export class UserGroupService {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly writer: UserGroupWriter,
    private readonly rules: WorkspaceRules,
    private readonly cipher: TokenCipher,
    private readonly changes: ChangeFeed,
    private readonly shownTokens: ShownTokens,
  ) {}

  /**
   * GET: creates the group or looks it up, and stores every field that was sent and differs.
   * A body with nothing but the id is a pure look-up.
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope, TokenForgotten
   */
  async createOrLookUp(caller: Caller, dto: UserGroupDto): Promise<LookedUpUserGroupAnswer> {
    const wanted = toWanted(dto);
    const { created, told } = isLookUp(wanted)
      ? await this.lookUp(caller, wanted.providedId)
      : await this.write(caller, toReadableWrite(wanted));
    if (!created)
      this.shownTokens.record(caller, 'look_up', { id: told.id, providedId: wanted.providedId });
    const view = toUserGroupView(told, wanted.providedId);
    return {
      success: 1,
      new_user_group: created,
      user_group: wanted.properties ? { ...view, properties: wanted.properties } : view,
    };
  }

  /**
   * PUT: creates the group, or stores every field that was sent.
   * @throws ValidationFailed if the group is new and has no name
   * @throws TokenForgotten if its token cannot be answered; then nothing is stored
   */
  async put(caller: Caller, dto: UserGroupDto): Promise<UserGroupAnswer> {
    const wanted = toWanted(dto);
    const { created, told } = await this.write(caller, toReadableWrite(wanted));
    if (!created)
      this.shownTokens.record(caller, 'write', { id: told.id, providedId: wanted.providedId });
    return { success: 1, user_group: toUserGroupView(told, wanted.providedId) };
  }

  private async lookUp(
    { workspaceId }: Caller,
    providedId: string,
  ): Promise<WrittenUserGroup<ReadableUserGroup>> {
    const stored = await this.userGroups.find({ workspaceId, providedId }, false);
    if (!stored) throw new UserGroupNotFound();
    return this.toFound(workspaceId, stored, toReadable);
  }

  /**
   * Makes a group what a caller wants it to be, or creates it. If nothing is to change, nothing is
   * written.
   * @throws ValidationFailed if the group is new and has no name; InsufficientScope
   */
  async write<T>(caller: Caller, write: UserGroupWrite<T>): Promise<WrittenUserGroup<T>> {
    const { workspaceId } = caller;
    const key = { workspaceId, providedId: write.providedId };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const stored = await this.userGroups.find(key, write.withMapping);
      const wanted = write.wish(stored);
      if (stored && !differs(stored, wanted)) {
        return this.toFound(workspaceId, stored, write.tell);
      }
      requireScope(
        caller,
        'user-groups:write',
        stored ? 'Changing the group' : 'Creating the group',
      );
      const written = stored
        ? await this.update(caller, write)
        : await this.create(caller, wanted, write);
      if (written) {
        this.changes.announce({ workspaceId, userGroupId: written.id });
        return written;
      }
    }
    throw new DatabaseUnavailable(new Error(`lost ${MAX_ATTEMPTS} races for one user group`));
  }

  /** Undefined if another caller has created the group in the meantime. */
  private async create<T>(
    caller: Caller,
    wanted: WantedUserGroup,
    { tell }: UserGroupWrite<T>,
  ): Promise<WrittenUserGroup<T> | undefined> {
    const named = requireName(wanted);
    return this.rules.runHolding(caller.workspaceId, async (manager, rules) => {
      const created = await this.writer.create(manager, { caller, rules }, named);
      if (!created) return undefined;
      const { state, token } = created;
      return { id: state.id, created: true, told: tell(state, () => token) };
    });
  }

  /** Undefined if the group has gone in the meantime. */
  private async update<T>(
    caller: Caller,
    { providedId, wish, tell }: UserGroupWrite<T>,
  ): Promise<WrittenUserGroup<T> | undefined> {
    const { workspaceId } = caller;
    return this.rules.runHolding(workspaceId, async (manager, rules) => {
      const stored = await this.userGroups.lock(manager, { workspaceId, providedId });
      if (!stored) return undefined;
      const wanted = wish(stored);
      const state = differs(stored, wanted)
        ? await this.writer.update(manager, { caller, rules }, stored, wanted)
        : stored;
      return this.toFound(workspaceId, { ...stored, ...state }, tell);
    });
  }

  /** A group that was there, with the token that it had. */
  private toFound<T>(
    workspaceId: number,
    stored: StoredUserGroup,
    tell: UserGroupWrite<T>['tell'],
  ): WrittenUserGroup<T> {
    const { id, generation } = stored;
    const row = { workspaceId, userGroupId: id, generation };
    return { id, created: false, told: tell(stored, () => this.cipher.decrypt(stored, row)) };
  }
}

function isLookUp({ name, mapping, properties }: WantedUserGroup): boolean {
  return name === undefined && mapping === undefined && properties === undefined;
}
