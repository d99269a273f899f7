import { Injectable } from '@nestjs/common';
import { ShownTokens } from '../../audit/shown-tokens.ts';
import type { Caller } from '../../common/caller.ts';
import { UserGroupNotFound } from '../../common/errors.ts';
import { UserGroupDto } from './dto/user-group.dto.ts';
import {
  type LookedUpUserGroupAnswer,
  toUserGroupView,
  type UserGroupAnswer,
} from './dto/user-group-answer.dto.ts';
import type { WrittenUserGroup } from './user-group-write.ts';
import { UserGroupWrites } from './user-group-writes.ts';
import { toWanted, type WantedUserGroup } from './wanted-user-group.ts';

/** GET and PUT of the contract. */
@Injectable()
export class UserGroupService {
  constructor(
    private readonly writes: UserGroupWrites,
    private readonly shownTokens: ShownTokens,
  ) {}

  /**
   * GET: creates the group or looks it up, and stores every field that was sent and differs.
   * A body with nothing but the id is a pure look-up.
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope, UserGroupTokenForgotten
   */
  async createOrLookUp(caller: Caller, dto: UserGroupDto): Promise<LookedUpUserGroupAnswer> {
    const { user_group_id: providedId } = dto;
    const wanted = toWanted(dto);
    const written = await this.write(caller, providedId, wanted, !isLookUp(wanted));
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
   * @throws UserGroupTokenForgotten if its token cannot be answered; then nothing is stored
   */
  async put(caller: Caller, dto: UserGroupDto): Promise<UserGroupAnswer> {
    const { user_group_id: providedId } = dto;
    const written = await this.write(caller, providedId, toWanted(dto), true);
    if (written.result !== 'created') this.show(caller, 'write', providedId, written);
    return { success: 1, user_group: toView(written, providedId) };
  }

  private write(
    caller: Caller,
    providedId: string,
    wanted: WantedUserGroup,
    mayCreate: boolean,
  ): Promise<WrittenUserGroup> {
    return this.writes.write({
      caller,
      providedId,
      plan: (stored) => {
        if (!stored && !mayCreate) throw new UserGroupNotFound();
        return wanted;
      },
      withMapping: wanted.mapping !== undefined,
      showsToken: true,
    });
  }

  private show(
    caller: Caller,
    way: 'look_up' | 'write',
    providedId: string,
    { group }: WrittenUserGroup,
  ): void {
    this.shownTokens.record(caller, way, { id: group.id, providedId });
  }
}

function isLookUp({ name, mapping, properties }: WantedUserGroup): boolean {
  return name === undefined && mapping === undefined && properties === undefined;
}

/** The answers of the contract always show the token. */
function toView({ group, token }: WrittenUserGroup, providedId: string) {
  return toUserGroupView({ id: group.id, name: group.name, token: token! }, providedId);
}
