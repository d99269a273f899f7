import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.ts';
import { TokenDisclosures } from '../../audit/tally/token-disclosures.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import {
  DatabaseUnavailable,
  IdempotencyKeySpent,
} from '../../../platform/common/problem/errors.ts';
import {
  UserGroupTokenIsCurrent,
  UserGroupTokenNotFound,
  UserGroupTokensEnded,
  UserGroupNotFound,
} from '../group/user-group.errors.ts';
import { hashToken } from '../../../platform/common/secret/secrets.ts';
import { Config } from '../../../platform/config/config.ts';
import { ChangeFeed } from '../../change-log/change-feed.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { RotateUserGroupTokenByIdRequest } from './dto/grace.dto.ts';
import type { RotateUserGroupTokenRequest } from './dto/rotate-token.dto.ts';
import {
  toUserGroupWithToken,
  type UserGroupWithTokenResponse,
} from '../group/dto/user-group-response.dto.ts';
import { toTokenView, type UserGroupTokensResponse } from './dto/tokens-response.dto.ts';
import type { TokensQueryDto } from './dto/tokens-query.dto.ts';
import {
  type KeyedCall,
  IdempotencyKeys,
  type IssuedForKey,
  KeyTaken,
} from '../../idempotency/idempotency-keys.ts';
import type { Rotation } from '../writing/user-group-change.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import { type RotatedToken, TokenRotations } from './token-rotations.ts';
import { UserGroupSnapshots } from '../snapshot/user-group-snapshots.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import { ReservedIds } from '../group/reserved-ids.ts';
import { type StoredUserGroup, UserGroupRepository } from '../group/user-group.repository.ts';

@Injectable()
export class UserGroupTokenService {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly reserved: ReservedIds,
    private readonly tokens: UserGroupTokenRepository,
    private readonly snapshots: UserGroupSnapshots,
    private readonly rotations: TokenRotations,
    private readonly transactor: Transactor,
    private readonly cipher: UserGroupTokenCipher,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly config: Config,
    private readonly tokenDisclosures: TokenDisclosures,
  ) {}

  /** Returns the group with its current token. @throws UserGroupNotFound, UserGroupTokenForgotten, UserGroupTokensEnded */
  async getCurrent(caller: Caller, providedId: string): Promise<UserGroupWithTokenResponse> {
    const { workspaceId } = caller;
    const { id, name, tokenHash, ...stored } = await this.getGroup(caller, providedId);
    if (stored.isTokenEnded) throw new UserGroupTokensEnded();
    const token = this.cipher.decrypt(stored, { workspaceId, tokenHash });
    await this.tokenDisclosures.recordSeen(caller, 'current_token', { id, providedId });
    return toResponse({ id, providedId, name, token });
  }

  /**
   * Lists one page of the group's matching tokens, newest first, with their times and the reason why each is refused.
   * @throws UserGroupNotFound
   */
  async list(
    caller: Caller,
    providedId: string,
    query: TokensQueryDto,
  ): Promise<UserGroupTokensResponse> {
    const { id } = await this.getGroup(caller, providedId);
    const key = { workspaceId: caller.workspaceId, userGroupId: id };
    const snapshot = await this.snapshots.find({ ...key, range: caller.range }, { isFresh: true });
    // The whole group may have been deleted meanwhile.
    if (!snapshot) throw new UserGroupNotFound();
    const filters = {
      ...key,
      generation: query.generation === undefined ? null : Number(query.generation),
      lastFour: query.last_four ?? null,
    };
    const { rows, ...next } = await this.tokens.list(filters, query);
    return { success: 1, tokens: rows.map((token) => toTokenView(token, snapshot)), ...next };
  }

  /**
   * POST: gives the group that holds `current_token` a new token. The old one can never rotate again.
   * @throws UserGroupTokenNotFound if the token is unknown, foreign or already replaced
   */
  rotate(
    caller: Caller,
    dto: RotateUserGroupTokenRequest,
    key?: string,
  ): Promise<UserGroupWithTokenResponse> {
    const { current_token: token, grace_period_seconds } = dto;
    const graceSeconds = grace_period_seconds ?? this.config.rotationGraceSeconds;
    const call = toCall(caller, key, ['current_token', token, graceSeconds]);
    return this.rotateIdempotently({ caller, tokenHash: hashToken(token), graceSeconds, call });
  }

  /** Replaces the current token of a group, whichever it is. @throws UserGroupNotFound */
  rotateByGroup(
    caller: Caller,
    providedId: string,
    { grace_period_seconds }: RotateUserGroupTokenByIdRequest,
    key?: string,
  ): Promise<UserGroupWithTokenResponse> {
    const graceSeconds = grace_period_seconds ?? this.config.rotationGraceSeconds;
    const call = toCall(caller, key, ['user_group_id', providedId, graceSeconds]);
    return this.rotateIdempotently({ caller, providedId, graceSeconds, call });
  }

  /**
   * Ends the overlap of a replaced token now. Repeating it changes nothing.
   * @throws UserGroupNotFound, UserGroupTokenNotFound, UserGroupTokenIsCurrent
   */
  async revoke(
    caller: Caller,
    providedId: string,
    generation: number,
  ): Promise<UserGroupTokensResponse> {
    const { workspaceId } = caller;
    const { id: userGroupId } = await this.getGroup(caller, providedId);
    const found = await this.tokens.find(workspaceId, userGroupId, generation);
    if (!found) throw new UserGroupTokenNotFound('The group has no such token.');
    if (found.retiredAt === null) throw new UserGroupTokenIsCurrent();
    await this.transactor.run(async (manager) => {
      const token = { userGroupId, generation, revokedBy: caller.apiTokenId };
      if (!(await this.tokens.endOverlap(manager, token))) return;
      await this.auditLog.record(manager, caller, {
        action: 'user_group_token.revoke',
        object: { type: 'user_group', id: providedId },
        userGroupId,
        version: generation,
        details: { team_id: userGroupId, generation },
      });
    });
    this.changes.announce({ workspaceId, userGroupId });
    const revoked = await this.tokens.find(workspaceId, userGroupId, generation);
    // The whole group may have been deleted meanwhile.
    if (!revoked) throw new UserGroupNotFound();
    return { success: 1, tokens: [toTokenView(revoked)], has_more: false };
  }

  /** A call with an `Idempotency-Key` is done once, and gets the same response while its token is current. */
  private async rotateIdempotently(rotation: Rotation): Promise<UserGroupWithTokenResponse> {
    const { caller, call } = rotation;
    const issued = call && (await this.idempotencyKeys.find(call));
    if (issued) return this.respondAgain(caller, issued);
    try {
      await this.requireInRange(rotation);
      return toResponse(await this.rotations.rotate(rotation));
    } catch (error) {
      // The same call may have been done meanwhile; the token it named is gone then.
      const isLost = error instanceof KeyTaken || error instanceof UserGroupTokenNotFound;
      const winner = isLost && call && (await this.idempotencyKeys.find(call));
      if (winner) return this.respondAgain(caller, winner);
      if (error instanceof UserGroupNotFound && rotation.providedId !== undefined) {
        throw await this.reserved.refusal(caller, rotation.providedId, error);
      }
      // The key was removed with the group of the call that had it.
      throw error instanceof KeyTaken ? new DatabaseUnavailable(error) : error;
    }
  }

  /** @throws IdempotencyKeySpent if another rotation has replaced the token since */
  private async respondAgain(
    caller: Caller,
    issued: IssuedForKey,
  ): Promise<UserGroupWithTokenResponse> {
    const { workspaceId } = caller;
    const { userGroupId, generation, name } = issued;
    const stored = await this.userGroups.findById(caller, userGroupId);
    if (stored?.generation !== generation || stored.isTokenEnded) throw new IdempotencyKeySpent();
    const token = this.cipher.decrypt(stored, { workspaceId, tokenHash: stored.tokenHash });
    const { providedId } = stored;
    this.tokenDisclosures.record(caller, 'repeated_rotation', { id: userGroupId, providedId });
    return toResponse({ id: userGroupId, providedId, name, token });
  }

  /** A rotation finds its group in the statement that replaces the token. */
  private async requireInRange({ caller, tokenHash, providedId }: Rotation): Promise<void> {
    if (caller.range === null) return;
    if (!tokenHash) {
      await this.getGroup(caller, providedId);
      return;
    }
    const key = { ...caller, hash: tokenHash.toString('hex') };
    const found = await this.snapshots.findToken(key, { isFresh: true });
    if (!found) throw new UserGroupTokenNotFound();
  }

  private async getGroup(caller: Caller, providedId: string): Promise<StoredUserGroup> {
    const group = await this.userGroups.find(caller, providedId);
    if (!group) throw await this.reserved.refusal(caller, providedId);
    return group;
  }
}

function toResponse(rotated: RotatedToken): UserGroupWithTokenResponse {
  return { success: 1, user_group: toUserGroupWithToken(rotated, rotated.providedId) };
}

function toCall(
  { workspaceId, apiTokenId }: Caller,
  key: string | undefined,
  request: KeyedCall['request'],
): KeyedCall | undefined {
  if (key === undefined) return undefined;
  return { workspaceId, apiTokenId, key, request };
}
