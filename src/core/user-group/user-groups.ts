import { Injectable } from '@nestjs/common';
import { type Caller, requireScope } from '../../platform/common/access/caller.ts';
import { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import { dtoFromObject } from '../../platform/common/json/dto-from-object.ts';
import type {
  UserGroupLookupResponse,
  UserGroupWithTokenResponse,
} from './group/dto/user-group-response.dto.ts';
import { UserGroupInput } from './group/dto/user-group.dto.ts';
import { requirePossibleId } from './group/provided-id.ts';
import { UserGroupService } from './user-group.service.ts';
import { UpdateUserGroupRequest } from './resource/dto/user-group-resource.dto.ts';
import type { UserGroupResource } from './resource/dto/user-group-resource-response.dto.ts';
import { UserGroupResourceService } from './resource/user-group-resource.service.ts';

const UNCONDITIONAL = new Preconditions(undefined, undefined);

/**
 * User groups for code in the same process, with the rules, scopes and audit log of the HTTP interface. Bodies and
 * responses have the fields of the interface.
 */
@Injectable()
export class UserGroups {
  /** @internal */
  constructor(
    private readonly groups: UserGroupService,
    private readonly resources: UserGroupResourceService,
  ) {}

  /**
   * Creates the group or looks it up, and stores every field that is given and differs (GET of the contract). With
   * `user_group_id` alone it never creates.
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope, UserGroupTokenForgotten
   */
  async createOrLookUp(caller: Caller, body: UserGroupInput): Promise<UserGroupLookupResponse> {
    requireScope(caller, 'user-groups:read');
    requireScope(caller, 'user-group-tokens:read');
    return this.groups.createOrLookUp(caller, dtoFromObject(UserGroupInput, body));
  }

  /**
   * Creates the group, or stores every field that is given (PUT of the contract).
   * @throws ValidationFailed, InsufficientScope, UserGroupTokenForgotten
   */
  async put(caller: Caller, body: UserGroupInput): Promise<UserGroupWithTokenResponse> {
    requireScope(caller, 'user-groups:write');
    requireScope(caller, 'user-group-tokens:read');
    return this.groups.put(caller, dtoFromObject(UserGroupInput, body));
  }

  /** Returns the group without its token. @throws UserGroupNotFound, InsufficientScope */
  async get(caller: Caller, userGroupId: string): Promise<UserGroupResource> {
    requireScope(caller, 'user-groups:read');
    requirePossibleId(userGroupId);
    return (await this.resources.get(caller, userGroupId)).body.user_group;
  }

  /**
   * Changes the fields that are given; in `mapping` and `properties` entry by entry, where null removes one (RFC 7396).
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope
   */
  async patch(
    caller: Caller,
    userGroupId: string,
    body: UpdateUserGroupRequest,
  ): Promise<UserGroupResource> {
    requireScope(caller, 'user-groups:write');
    requirePossibleId(userGroupId);
    const dto = dtoFromObject(UpdateUserGroupRequest, body);
    return (await this.resources.patch(caller, userGroupId, dto, UNCONDITIONAL)).body.user_group;
  }

  /** Deletes the group and ends its tokens. @throws UserGroupNotFound, InsufficientScope */
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

  /** Reverts `suspend`. @throws UserGroupNotFound, InsufficientScope */
  async resume(caller: Caller, userGroupId: string): Promise<UserGroupResource> {
    requireScope(caller, 'user-groups:write');
    requirePossibleId(userGroupId);
    return (await this.resources.resume(caller, userGroupId)).user_group;
  }
}
