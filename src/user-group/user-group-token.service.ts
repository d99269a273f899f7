import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log';
import { ShownTokens } from '../audit/shown-tokens';
import type { Caller } from '../common/caller';
import {
  DatabaseUnavailable,
  IdempotencyKeySpent,
  TokenIsCurrent,
  TokenNotFound,
  UserGroupNotFound,
} from '../common/errors';
import { generateToken, hashToken } from '../common/secrets';
import { Config } from '../config/config';
import { ChangeFeed } from '../database/change-feed';
import { Transactor } from '../database/transactor';
import type { GraceDto } from './dto/grace.dto';
import type { RotateTokenDto } from './dto/rotate-token.dto';
import { toUserGroupView, type UserGroupAnswer } from './dto/user-group-answer.dto';
import { toTokenView, type TokensAnswer } from './dto/tokens-answer.dto';
import {
  type IdempotentCall,
  IdempotencyKeys,
  type IssuedForKey,
  KeyTaken,
} from './idempotency-keys';
import { TokenCipher, type TokenRow } from '../encryption-key/token-cipher';
import { type RetiredToken, UserGroupTokenRepository } from './user-group-token.repository';
import { type StoredUserGroup, UserGroupRepository } from './user-group.repository';

/** A rotation, whichever way the group is named. */
interface Rotation {
  graceSeconds: number | undefined;
  /** The call, where it has an `Idempotency-Key`. */
  call: IdempotentCall | undefined;
  /** Retires the current token, valid for introspection until the given time; undefined if there is none. */
  retire: (manager: EntityManager, validUntil: number | null) => Promise<RetiredToken | undefined>;
}

/** Each lost race against a rotation by token is followed by retiring the token it has issued. */
const MAX_ATTEMPTS = 3;

/** Issues, rotates and revokes the tokens of user groups. */
@Injectable()
export class UserGroupTokenService {
  /** How many tokens were replaced. */
  rotations = 0;

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly transactor: Transactor,
    private readonly cipher: TokenCipher,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly config: Config,
    private readonly shownTokens: ShownTokens,
  ) {}

  /**
   * The first token of a group, or the next one after the current has been retired.
   * @param token one that was imported, in place of a new one
   */
  async issue(
    manager: EntityManager,
    row: TokenRow,
    token = generateToken('ugt'),
  ): Promise<string> {
    await this.tokens.insert(manager, {
      ...this.cipher.encrypt(token, row),
      ...row,
      hash: hashToken(token),
      lastFour: token.slice(-4),
    });
    return token;
  }

  /**
   * Locks the tokens of a group that `manager` has locked. A rotation by token locks the token first
   * and the group, by its foreign key, last: who removes the group has to wait for it here.
   */
  async lockTokens(manager: EntityManager, userGroupId: number): Promise<void> {
    await this.tokens.lockAll(manager, userGroupId);
    // A rotation that was waited for has left another current token.
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (await this.tokens.lockCurrent(manager, userGroupId)) return;
    }
    throw lostRaces();
  }

  /**
   * The current token of a group.
   * @throws UserGroupNotFound, TokenForgotten
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
   * @throws TokenNotFound if the token is unknown, foreign or already replaced
   */
  async rotate(caller: Caller, dto: RotateTokenDto, key?: string): Promise<UserGroupAnswer> {
    const { workspaceId } = caller;
    const hash = hashToken(dto.current_token);
    return this.rotateOnce(caller, {
      graceSeconds: dto.grace_period_seconds,
      call: toCall(caller, key, ['current_token', dto.current_token, dto.grace_period_seconds]),
      retire: (manager, validUntil) =>
        this.tokens.retireByHash(manager, {
          workspaceId,
          hash,
          validUntil,
          retiredBy: caller.apiTokenId,
        }),
    });
  }

  /**
   * Gives a group a new token, whatever its current one is.
   * @throws UserGroupNotFound
   */
  async rotateOf(
    caller: Caller,
    providedId: string,
    dto: GraceDto,
    key?: string,
  ): Promise<UserGroupAnswer> {
    return this.rotateOnce(caller, {
      graceSeconds: dto.grace_period_seconds,
      call: toCall(caller, key, ['user_group_id', providedId, dto.grace_period_seconds]),
      retire: (manager, validUntil) => this.retireCurrent(manager, caller, providedId, validUntil),
    });
  }

  /**
   * Ends the overlap of a replaced token now. Doing it again changes nothing.
   * @throws UserGroupNotFound, TokenNotFound, TokenIsCurrent
   */
  async revoke(caller: Caller, providedId: string, generation: number): Promise<TokensAnswer> {
    const { id: userGroupId } = await this.getGroup(caller, providedId);
    const found = await this.tokens.find(userGroupId, generation);
    if (!found) throw new TokenNotFound('The group has no such token.');
    if (found.retiredAt === null) throw new TokenIsCurrent();
    await this.transactor.run(async (manager) => {
      const token = { userGroupId, generation, revokedBy: caller.apiTokenId };
      if (!(await this.tokens.endOverlap(manager, token))) return;
      await this.auditLog.record(manager, caller, {
        action: 'user_group_token.revoke',
        object: { type: 'user_group', id: providedId },
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
  private async rotateOnce(caller: Caller, rotation: Rotation): Promise<UserGroupAnswer> {
    const { call } = rotation;
    const issued = call && (await this.idempotencyKeys.find(call));
    if (issued) return this.answerAgain(caller, issued);
    try {
      return await this.rotateNow(caller, rotation);
    } catch (error) {
      // The same call may have been done in the meantime; the token it named is gone then.
      const isLost = error instanceof KeyTaken || error instanceof TokenNotFound;
      const winner = isLost && call && (await this.idempotencyKeys.find(call));
      if (winner) return this.answerAgain(caller, winner);
      throw error;
    }
  }

  private async rotateNow(
    caller: Caller,
    { graceSeconds = this.config.rotationGraceSeconds, call, retire }: Rotation,
  ): Promise<UserGroupAnswer> {
    const { workspaceId } = caller;
    const answer = await this.transactor.run(async (manager): Promise<UserGroupAnswer> => {
      const validUntil = graceSeconds === 0 ? null : Date.now() + graceSeconds * 1000;
      const retired = await retire(manager, validUntil);
      if (!retired) throw new TokenNotFound();
      const { userGroupId, name, providedId } = retired;
      const generation = retired.generation + 1;
      const token = await this.issue(manager, { workspaceId, userGroupId, generation });
      if (call)
        await this.idempotencyKeys.remember(manager, call, { userGroupId, generation, name });
      await this.auditLog.record(manager, caller, {
        action: 'user_group_token.rotate',
        object: { type: 'user_group', id: providedId },
        before: { generation: retired.generation },
        after: { generation },
        details: { team_id: userGroupId, grace_period_seconds: graceSeconds },
      });
      return {
        success: 1,
        user_group: toUserGroupView({ id: userGroupId, token, name }, providedId),
      };
    });
    this.rotations++;
    this.changes.announce({ workspaceId, userGroupId: answer.user_group.team_id });
    return answer;
  }

  /** @throws IdempotencyKeySpent if another rotation has replaced the token since */
  private async answerAgain(caller: Caller, issued: IssuedForKey): Promise<UserGroupAnswer> {
    const { workspaceId } = caller;
    const { userGroupId, generation, name } = issued;
    const stored = await this.userGroups.findById({ workspaceId, id: userGroupId });
    if (stored?.generation !== generation) throw new IdempotencyKeySpent();
    const token = this.cipher.decrypt(stored, { workspaceId, userGroupId, generation });
    const { providedId } = stored;
    this.shownTokens.record(caller, 'repeated_rotation', { id: userGroupId, providedId });
    return {
      success: 1,
      user_group: toUserGroupView({ id: userGroupId, token, name }, providedId),
    };
  }

  private async retireCurrent(
    manager: EntityManager,
    { workspaceId, apiTokenId: retiredBy }: Caller,
    providedId: string,
    validUntil: number | null,
  ): Promise<RetiredToken> {
    const userGroupId = await this.userGroups.lockId(manager, { workspaceId, providedId });
    if (userGroupId === undefined) throw new UserGroupNotFound();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const token = { workspaceId, userGroupId, validUntil, retiredBy };
      const retired = await this.tokens.retireCurrent(manager, token);
      if (retired) return retired;
    }
    throw lostRaces();
  }

  private async getGroup({ workspaceId }: Caller, providedId: string): Promise<StoredUserGroup> {
    const group = await this.userGroups.find({ workspaceId, providedId }, false);
    if (!group) throw new UserGroupNotFound();
    return group;
  }
}

function lostRaces(): DatabaseUnavailable {
  return new DatabaseUnavailable(new Error(`lost ${MAX_ATTEMPTS} races for one token`));
}

function toCall(
  { workspaceId, apiTokenId }: Caller,
  key: string | undefined,
  request: (string | number | undefined)[],
): IdempotentCall | undefined {
  if (key === undefined) return undefined;
  return { workspaceId, apiTokenId, key, request: request.map((part) => part ?? null) };
}
