import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.ts';
import { ShownTokens } from '../../audit/shown-tokens.ts';
import type { Caller } from '../../common/caller.ts';
import {
  DatabaseUnavailable,
  IdempotencyKeySpent,
  UserGroupTokenIsCurrent,
  UserGroupTokenNotFound,
  UserGroupNotFound,
} from '../../common/errors.ts';
import { hashToken } from '../../common/secrets.ts';
import { Config } from '../../config/config.ts';
import { ChangeFeed } from '../../database/change-feed.ts';
import { Transactor } from '../../database/transactor.ts';
import type { GraceDto } from './dto/grace.dto.ts';
import type { RotateTokenDto } from './dto/rotate-token.dto.ts';
import { toUserGroupView, type UserGroupAnswer } from '../group/dto/user-group-answer.dto.ts';
import { toTokenView, type TokensAnswer } from './dto/tokens-answer.dto.ts';
import {
  type IdempotentCall,
  IdempotencyKeys,
  type IssuedForKey,
  KeyTaken,
} from './idempotency-keys.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import { type RotatedToken, type Rotation, TokenRotations } from './token-rotations.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import { type StoredUserGroup, UserGroupRepository } from '../group/user-group.repository.ts';

/** Rotates, shows and revokes the tokens of user groups. */
@Injectable()
export class UserGroupTokenService {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly rotations: TokenRotations,
    private readonly transactor: Transactor,
    private readonly cipher: UserGroupTokenCipher,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly config: Config,
    private readonly shownTokens: ShownTokens,
  ) {}

  /**
   * The current token of a group.
   * @throws UserGroupNotFound, UserGroupTokenForgotten
   */
  async getCurrent(caller: Caller, providedId: string): Promise<UserGroupAnswer> {
    const { workspaceId } = caller;
    const { id, name, generation, ...stored } = await this.getGroup(caller, providedId);
    const token = this.cipher.decrypt(stored, { workspaceId, userGroupId: id, generation });
    this.shownTokens.record(caller, 'current_token', { id, providedId });
    return { success: 1, user_group: toUserGroupView({ id, token, name }, providedId) };
  }

  /**
   * POST: gives the group that holds `current_token` a new token. The old one can never rotate again.
   * @throws UserGroupTokenNotFound if the token is unknown, foreign or already replaced
   */
  rotate(caller: Caller, dto: RotateTokenDto, key?: string): Promise<UserGroupAnswer> {
    const { current_token: token, grace_period_seconds: graceSeconds } = dto;
    return this.rotateIdempotently({
      caller,
      token: { hash: hashToken(token) },
      graceSeconds: graceSeconds ?? this.config.rotationGraceSeconds,
      call: toCall(caller, key, ['current_token', token, graceSeconds]),
    });
  }

  /**
   * Gives a group a new token, whatever its current one is.
   * @throws UserGroupNotFound
   */
  rotateByGroup(
    caller: Caller,
    providedId: string,
    { grace_period_seconds: graceSeconds }: GraceDto,
    key?: string,
  ): Promise<UserGroupAnswer> {
    return this.rotateIdempotently({
      caller,
      token: { providedId },
      graceSeconds: graceSeconds ?? this.config.rotationGraceSeconds,
      call: toCall(caller, key, ['user_group_id', providedId, graceSeconds]),
    });
  }

  /**
   * Ends the overlap of a replaced token now. Doing it again changes nothing.
   * @throws UserGroupNotFound, UserGroupTokenNotFound, UserGroupTokenIsCurrent
   */
  async revoke(caller: Caller, providedId: string, generation: number): Promise<TokensAnswer> {
    const { id: userGroupId } = await this.getGroup(caller, providedId);
    const found = await this.tokens.find(userGroupId, generation);
    if (!found) throw new UserGroupTokenNotFound('The group has no such token.');
    if (found.retiredAt === null) throw new UserGroupTokenIsCurrent();
    await this.transactor.run(async (manager) => {
      const token = { userGroupId, generation, revokedBy: caller.apiTokenId };
      if (!(await this.tokens.endOverlap(manager, token))) return;
      this.auditLog.record(manager, caller, {
        action: 'user_group_token.revoke',
        object: { type: 'user_group', id: providedId },
        userGroupId,
        version: generation,
        details: { team_id: userGroupId, generation },
      });
    });
    this.changes.announce({ workspaceId: caller.workspaceId, userGroupId });
    const revoked = await this.tokens.find(userGroupId, generation);
    // The whole group may have been deleted in the meantime.
    if (!revoked) throw new UserGroupNotFound();
    // It has ended, whatever its group lacks.
    return { success: 1, tokens: [toTokenView(revoked, true)] };
  }

  /** A call with an `Idempotency-Key` is done once, and answered the same while its token is current. */
  private async rotateIdempotently(rotation: Rotation): Promise<UserGroupAnswer> {
    const { caller, call } = rotation;
    const issued = call && (await this.idempotencyKeys.find(call));
    if (issued) return this.answerAgain(caller, issued);
    try {
      return toAnswer(await this.rotations.rotate(rotation));
    } catch (error) {
      // The same call may have been done in the meantime; the token it named is gone then.
      const isLost = error instanceof KeyTaken || error instanceof UserGroupTokenNotFound;
      const winner = isLost && call && (await this.idempotencyKeys.find(call));
      if (winner) return this.answerAgain(caller, winner);
      // The key went with the group of the call that had it.
      throw error instanceof KeyTaken ? new DatabaseUnavailable(error) : error;
    }
  }

  /** @throws IdempotencyKeySpent if another rotation has replaced the token since */
  private async answerAgain(caller: Caller, issued: IssuedForKey): Promise<UserGroupAnswer> {
    const { workspaceId } = caller;
    const { userGroupId, generation, name } = issued;
    const stored = await this.userGroups.findById(workspaceId, userGroupId);
    if (stored?.generation !== generation) throw new IdempotencyKeySpent();
    const token = this.cipher.decrypt(stored, { workspaceId, userGroupId, generation });
    const { providedId } = stored;
    this.shownTokens.record(caller, 'repeated_rotation', { id: userGroupId, providedId });
    return toAnswer({ userGroupId, providedId, name, token });
  }

  private async getGroup({ workspaceId }: Caller, providedId: string): Promise<StoredUserGroup> {
    const group = await this.userGroups.find({ workspaceId, providedId }, false);
    if (!group) throw new UserGroupNotFound();
    return group;
  }
}

function toAnswer({ userGroupId, providedId, name, token }: RotatedToken): UserGroupAnswer {
  return { success: 1, user_group: toUserGroupView({ id: userGroupId, token, name }, providedId) };
}

function toCall(
  { workspaceId, apiTokenId }: Caller,
  key: string | undefined,
  request: (string | number | undefined)[],
): IdempotentCall | undefined {
  if (key === undefined) return undefined;
  return { workspaceId, apiTokenId, key, request: request.map((part) => part ?? null) };
}
