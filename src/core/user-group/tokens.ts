import { Injectable } from '@nestjs/common';
import { type Caller, requireScope } from '../../platform/common/access/caller.ts';
import { requireIdempotencyKey } from '../../platform/common/http/parameters/request-params.ts';
import { dtoFromObject } from '../../platform/common/json/dto-from-object.ts';
import type { UserGroupWithTokenResponse } from './group/dto/user-group-response.dto.ts';
import { requirePossibleId } from './group/provided-id.ts';
import { RotateUserGroupTokenByIdRequest } from './rotation/dto/grace.dto.ts';
import { RotateUserGroupTokenRequest } from './rotation/dto/rotate-token.dto.ts';
import { UserGroupTokenService } from './rotation/user-group-token.service.ts';

/** Options of a rotation. */
export interface RotationOptions {
  /** 1–255 visible ASCII characters: within 24 hours the same call with the same key is done once. */
  idempotencyKey?: string;
}

/** Tokens of user groups for code in the same process, with the rules, scopes and audit log of the HTTP interface. */
@Injectable()
export class Tokens {
  /** @internal */
  constructor(private readonly tokens: UserGroupTokenService) {}

  /**
   * Gives the group that holds `current_token` a new token (POST of the contract).
   * @throws UserGroupTokenNotFound, ValidationFailed, InsufficientScope, IdempotencyKeyInvalid
   */
  async rotate(
    caller: Caller,
    body: RotateUserGroupTokenRequest,
    { idempotencyKey }: RotationOptions = {},
  ): Promise<UserGroupWithTokenResponse> {
    requireScope(caller, 'tokens:rotate');
    if (idempotencyKey !== undefined) requireIdempotencyKey(idempotencyKey);
    return this.tokens.rotate(
      caller,
      dtoFromObject(RotateUserGroupTokenRequest, body),
      idempotencyKey,
    );
  }

  /**
   * Replaces the current token of a group, whichever it is.
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope, IdempotencyKeyInvalid
   */
  async rotateByGroup(
    caller: Caller,
    userGroupId: string,
    body: RotateUserGroupTokenByIdRequest = {},
    { idempotencyKey }: RotationOptions = {},
  ): Promise<UserGroupWithTokenResponse> {
    requireScope(caller, 'tokens:rotate');
    requirePossibleId(userGroupId);
    if (idempotencyKey !== undefined) requireIdempotencyKey(idempotencyKey);
    const dto = dtoFromObject(RotateUserGroupTokenByIdRequest, body);
    return this.tokens.rotateByGroup(caller, userGroupId, dto, idempotencyKey);
  }

  /** Returns the group with its current token. @throws UserGroupNotFound, UserGroupTokenForgotten, InsufficientScope */
  async getCurrent(caller: Caller, userGroupId: string): Promise<UserGroupWithTokenResponse> {
    requireScope(caller, 'user-group-tokens:read');
    requirePossibleId(userGroupId);
    return this.tokens.getCurrent(caller, userGroupId);
  }
}
