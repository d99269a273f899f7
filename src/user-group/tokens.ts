import { Injectable } from '@nestjs/common';
import { type Caller, requireScope } from '../common/caller.ts';
import { requireIdempotencyKey } from '../common/http/idempotency-key.decorator.ts';
import { dtoFromObject } from '../common/json/dto-from-object.ts';
import type { UserGroupAnswer } from './group/dto/user-group-answer.dto.ts';
import { requirePossibleId } from './group/provided-id.ts';
import { GraceDto } from './rotation/dto/grace.dto.ts';
import { RotateTokenDto } from './rotation/dto/rotate-token.dto.ts';
import { UserGroupTokenService } from './rotation/user-group-token.service.ts';

/** What can be said about a rotation beside its body. */
export interface RotationOptions {
  /** 1–255 visible ASCII characters: within 24 hours the same call with the same key is done once. */
  idempotencyKey?: string;
}

/**
 * Tokens of user groups for code in the same process: what the HTTP interface does, by the same rules,
 * scopes and audit log.
 */
@Injectable()
export class Tokens {
  /** @internal Nest makes it. */
  constructor(private readonly tokens: UserGroupTokenService) {}

  /**
   * Gives the group that holds `current_token` a new token (POST of the contract).
   * @throws UserGroupTokenNotFound, ValidationFailed, InsufficientScope, IdempotencyKeyInvalid
   */
  async rotate(
    caller: Caller,
    body: RotateTokenDto,
    { idempotencyKey }: RotationOptions = {},
  ): Promise<UserGroupAnswer> {
    requireScope(caller, 'tokens:rotate');
    if (idempotencyKey !== undefined) requireIdempotencyKey(idempotencyKey);
    return this.tokens.rotate(caller, dtoFromObject(RotateTokenDto, body), idempotencyKey);
  }

  /**
   * Gives a group a new token, whatever its current one is.
   * @throws UserGroupNotFound, ValidationFailed, InsufficientScope, IdempotencyKeyInvalid
   */
  async rotateByGroup(
    caller: Caller,
    userGroupId: string,
    body: GraceDto = {},
    { idempotencyKey }: RotationOptions = {},
  ): Promise<UserGroupAnswer> {
    requireScope(caller, 'tokens:rotate');
    requirePossibleId(userGroupId);
    if (idempotencyKey !== undefined) requireIdempotencyKey(idempotencyKey);
    const dto = dtoFromObject(GraceDto, body);
    return this.tokens.rotateByGroup(caller, userGroupId, dto, idempotencyKey);
  }

  /** The group with its current token. @throws UserGroupNotFound, UserGroupTokenForgotten, InsufficientScope */
  async getCurrent(caller: Caller, userGroupId: string): Promise<UserGroupAnswer> {
    requireScope(caller, 'user-groups:read');
    requirePossibleId(userGroupId);
    return this.tokens.getCurrent(caller, userGroupId);
  }
}
