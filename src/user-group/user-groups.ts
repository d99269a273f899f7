import { Injectable } from '@nestjs/common';
import { type Caller, requireScope } from '../common/caller.ts';
import { Preconditions } from '../common/http/preconditions.ts';
import { dtoFromObject } from '../common/json/dto-from-object.ts';
import type {
  LookedUpUserGroupAnswer,
  UserGroupAnswer,
} from './group/dto/user-group-answer.dto.ts';
import { UserGroupDto } from './group/dto/user-group.dto.ts';
import { requirePossibleId } from './group/provided-id.ts';
import { UserGroupService } from './group/user-group.service.ts';
import { PatchUserGroupDto } from './resource/dto/user-group-resource.dto.ts';
import type { UserGroupResource } from './resource/dto/user-group-resource-answer.dto.ts';
import { UserGroupResourceService } from './resource/user-group-resource.service.ts';

const UNCONDITIONAL = new Preconditions(undefined, undefined);

/**
 * User groups for code in the same process: what the HTTP interface does, by the same rules, scopes and
 * audit log. Bodies and answers have the fields of the interface.
 */
@Injectable()
export class UserGroups {
  /** @internal Nest makes it. */
  constructor(
    private readonly groups: UserGroupService,
    private readonly resources: UserGroupResourceService,
  ) {}

  /**
   * Creates the group or looks it up, and stores every field that is given and differs (GET of the
   * contract). With `user_group_id` alone it never creates.
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope, UserGroupTokenForgotten
   */
  async createOrLookUp(caller: Caller, body: UserGroupDto): Promise<LookedUpUserGroupAnswer> {
    requireScope(caller, 'user-groups:read');
    return this.groups.createOrLookUp(caller, dtoFromObject(UserGroupDto, body));
  }

  /**
   * Creates the group, or stores every field that is given (PUT of the contract).
   * @throws ValidationFailed, InsufficientScope, UserGroupTokenForgotten
   */
  async put(caller: Caller, body: UserGroupDto): Promise<UserGroupAnswer> {
    requireScope(caller, 'user-groups:write');
    return this.groups.put(caller, dtoFromObject(UserGroupDto, body));
  }

  /** The group without its token. @throws UserGroupNotFound, InsufficientScope */
  async get(caller: Caller, userGroupId: string): Promise<UserGroupResource> {
    requireScope(caller, 'user-groups:read');
    requirePossibleId(userGroupId);
    return (await this.resources.get(caller, userGroupId)).user_group;
  }

  /**
   * Changes the fields that are given; in `mapping` and `properties` entry by entry, where null removes
   * one (RFC 7396).
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope
   */
  async patch(
    caller: Caller,
    userGroupId: string,
    body: PatchUserGroupDto,
  ): Promise<UserGroupResource> {
    requireScope(caller, 'user-groups:write');
    requirePossibleId(userGroupId);
    const dto = dtoFromObject(PatchUserGroupDto, body);
    return (await this.resources.patch(caller, userGroupId, dto, UNCONDITIONAL)).user_group;
  }

  /** Ends the group and its tokens. @throws UserGroupNotFound, InsufficientScope */
  async delete(caller: Caller, userGroupId: string): Promise<void> {
    requireScope(caller, 'user-groups:write');
    requirePossibleId(userGroupId);
    await this.resources.delete(caller, userGroupId, UNCONDITIONAL);
  }

  /** Refuses the group's tokens until `resume`. @throws UserGroupNotFound, InsufficientScope */
  async suspend(caller: Caller, userGroupId: string): Promise<UserGroupResource> {
    requireScope(caller, 'user-groups:write');
    requirePossibleId(userGroupId);
    return (await this.resources.suspend(caller, userGroupId)).user_group;
  }

  /** Undoes `suspend`. @throws UserGroupNotFound, InsufficientScope */
  async resume(caller: Caller, userGroupId: string): Promise<UserGroupResource> {
    requireScope(caller, 'user-groups:write');
    requirePossibleId(userGroupId);
    return (await this.resources.resume(caller, userGroupId)).user_group;
  }
}
