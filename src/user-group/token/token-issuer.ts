import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditEntry } from '../../audit/audit-log.ts';
import { DatabaseUnavailable } from '../../common/errors.ts';
import { hashToken } from '../../common/secrets.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import { UserGroupTokenFormat } from './user-group-token-format.ts';
import { type RetiredToken, UserGroupTokenRepository } from './user-group-token.repository.ts';

/** A generation that a group is to get. */
interface Generation {
  userGroupId: number;
  /** 1 for the first. */
  generation: number;
  /** One that was issued elsewhere; else a new one is made. */
  token?: string;
}

/** Each lost race against a rotation by token is followed by locking the token that it has issued. */
const MAX_ATTEMPTS = 3;

/** Gives user groups their tokens. */
@Injectable()
export class TokenIssuer {
  /** How many tokens this process has replaced. */
  rotations = 0;

  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly cipher: UserGroupTokenCipher,
    private readonly format: UserGroupTokenFormat,
  ) {}

  /**
   * Issues generations of groups that have no current token, which are stored at the end of the transaction.
   * @returns the tokens in the order of the generations
   */
  issueAll(
    manager: EntityManager,
    workspaceId: number,
    generations: readonly Generation[],
    now: number,
  ): string[] {
    if (generations.length === 0) return [];
    const issued = generations.map(
      ({ userGroupId, generation, token = this.format.generate() }) => ({
        token,
        userGroupId,
        generation,
        ...this.cipher.encrypt(token, { workspaceId, userGroupId, generation }),
        hash: hashToken(token),
        lastFour: token.slice(-4),
      }),
    );
    this.tokens.insertAll(manager, workspaceId, issued, now);
    return issued.map(({ token }) => token);
  }

  /**
   * Locks the tokens of a group that `manager` has locked. A rotation locks the token first and the
   * group, by its foreign key, last: who removes the group has to wait for it here.
   */
  async lockTokens(manager: EntityManager, userGroupId: number): Promise<void> {
    await this.tokens.lockAll(manager, userGroupId);
    // A rotation that was waited for has left another current token.
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (await this.tokens.lockCurrent(manager, userGroupId)) return;
    }
    throw new DatabaseUnavailable(new Error(`lost ${MAX_ATTEMPTS} races for one token`));
  }
}

/** The generation that follows a retired one. */
export function nextOf({ userGroupId, generation }: RetiredToken): Generation {
  return { userGroupId, generation: generation + 1 };
}

/** The audit event of a token that was replaced. */
export function rotationEvent(
  { userGroupId, providedId, generation }: RetiredToken,
  graceSeconds: number,
  details: object = {},
): AuditEntry {
  return {
    action: 'user_group_token.rotate',
    object: { type: 'user_group', id: providedId },
    userGroupId,
    version: generation + 1,
    before: { generation },
    after: { generation: generation + 1 },
    details: { team_id: userGroupId, grace_period_seconds: graceSeconds, ...details },
  };
}
