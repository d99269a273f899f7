import { Injectable } from '@nestjs/common';
import { TokenDisclosures } from '../audit/tally/token-disclosures.ts';
import { type Caller, requireScope } from '../../platform/common/access/caller.ts';
import { UserGroupNotFound } from './group/user-group.errors.ts';
import { UserGroupTokenCipher } from '../encryption-key/user-group-token-cipher.ts';
import { UserGroupInput } from './group/dto/user-group.dto.ts';
import {
  type UserGroupLookupResponse,
  toUserGroupWithToken,
  type UserGroupWithTokenResponse,
} from './group/dto/user-group-response.dto.ts';
import type { WrittenUserGroup } from './writing/user-group-write.ts';
import { UserGroupWriter } from './writing/user-group-writer.ts';
import { ReservedIds } from './group/reserved-ids.ts';
import { toWanted, type WantedUserGroup } from './group/user-group-fields.ts';
import { type StoredUserGroup, UserGroupRepository } from './group/user-group.repository.ts';

type Shown = Omit<WrittenUserGroup, 'rulesVersion'>;

/** GET and PUT of the contract. */
@Injectable()
export class UserGroupService {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly writes: UserGroupWriter,
    private readonly reserved: ReservedIds,
    private readonly cipher: UserGroupTokenCipher,
    private readonly tokenDisclosures: TokenDisclosures,
  ) {}

  /**
   * GET: creates the group or looks it up, and stores every field that was sent and differs. A body with nothing but
   * the id is a pure look-up.
   * @throws UserGroupNotFound, UserGroupRenamed, ValidationFailed, InsufficientScope, UserGroupTokenForgotten
   */
  async createOrLookUp(caller: Caller, dto: UserGroupInput): Promise<UserGroupLookupResponse> {
    const { user_group_id: providedId } = dto;
    const wanted = toWanted(dto);
    const written = isLookUp(wanted)
      ? await this.lookUp(caller, providedId)
      : await this.write(caller, providedId, wanted, { isLookUp: wanted.mapping === undefined });
    if (written.result !== 'created') this.show(caller, 'look_up', providedId, written);
    const view = toView(written, providedId);
    return {
      success: 1,
      new_user_group: written.result === 'created',
      user_group: wanted.properties ? { ...view, properties: wanted.properties } : view,
    };
  }

  /**
   * PUT: creates the group, or stores every field that was sent.
   * @throws ValidationFailed if the group is new and has no name
   * @throws UserGroupTokenForgotten if its token cannot be returned; then nothing is stored
   */
  async put(caller: Caller, dto: UserGroupInput): Promise<UserGroupWithTokenResponse> {
    const { user_group_id: providedId } = dto;
    const written = await this.write(caller, providedId, toWanted(dto));
    if (written.result !== 'created') this.show(caller, 'write', providedId, written);
    return { success: 1, user_group: toView(written, providedId) };
  }

  private async lookUp(caller: Caller, providedId: string): Promise<Shown> {
    const { workspaceId } = caller;
    const group = await this.userGroups.find(caller, providedId);
    if (!group) throw await this.reserved.refusal(caller, providedId, notFound());
    if (group.isTokenEnded) return this.write(caller, providedId, {}, { mayCreate: false });
    const token = this.cipher.decrypt(group, { workspaceId, tokenHash: group.tokenHash });
    return { result: 'unchanged', group, token };
  }

  /** Replaces, too, a token that was ended together with others, so that the caller's next page works. */
  private write(
    caller: Caller,
    providedId: string,
    wanted: WantedUserGroup,
    { mayCreate = true, isLookUp = false }: { mayCreate?: boolean; isLookUp?: boolean } = {},
  ): Promise<WrittenUserGroup> {
    const plan = (stored: StoredUserGroup | undefined) => {
      if (!stored && !mayCreate) throw notFound();
      if (!stored?.isTokenEnded) return wanted;
      requireScope(
        caller,
        'user-groups:write',
        'Replacing the token, which was ended with all others,',
      );
      return { ...wanted, replacement: { graceSeconds: 0, isEnded: true } };
    };
    return this.writes.write({ caller, providedId, plan, isLookUp, showsToken: true });
  }

  private show(
    caller: Caller,
    channel: 'look_up' | 'write',
    providedId: string,
    { group }: Shown,
  ): void {
    this.tokenDisclosures.record(caller, channel, { id: group.id, providedId });
  }
}

/** At the door of the contract the next step is to create it. */
function notFound(): UserGroupNotFound {
  return new UserGroupNotFound(UserGroupNotFound.spec.about);
}

function isLookUp(wanted: WantedUserGroup): boolean {
  return Object.values(wanted).every((field) => field === undefined);
}

/** Responses of the contract always contain the token. */
function toView({ group, token }: Shown, providedId: string) {
  return toUserGroupWithToken({ id: group.id, name: group.name, token: token! }, providedId);
}
