import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log';
import type { Caller } from '../../common/caller';
import { DatabaseUnavailable, TokenNotFound, UserGroupNotFound } from '../../common/errors';
import { ChangeFeed } from '../../database/change-feed';
import { isLockConflict } from '../../database/database-errors';
import { Lanes, type Outcome, WRITE_WAVES } from '../../database/lanes';
import { settled } from '../../database/statement';
import { Transactor } from '../../database/transactor';
import { UserGroupRepository } from '../group/user-group.repository';
import { nextOf, rotationEvent, TokenIssuer } from '../token/token-issuer';
import {
  type RetiredToken,
  type TokenName,
  UserGroupTokenRepository,
} from '../token/user-group-token.repository';
import { type IdempotentCall, IdempotencyKeys, KeyTaken } from './idempotency-keys';

export interface Rotation {
  caller: Caller;
  token: TokenName;
  /** For how long the replaced token can still be introspected; 0 ends it at once. */
  graceSeconds: number;
  /** The call, where it has an `Idempotency-Key`. */
  call: IdempotentCall | undefined;
}

/** A group with the token that it has now. */
export interface RotatedToken {
  userGroupId: number;
  providedId: string;
  name: string;
  token: string;
}

/** A rotation of a group that has lost a race retires the token which the winner has issued. */
const MAX_ATTEMPTS = 10;

/**
 * Replaces tokens of user groups. Rotations of one workspace that arrive together share a
 * transaction. One whose token another transaction holds, or that makes the shared one fail, goes
 * alone: it costs its neighbours nothing.
 */
@Injectable()
export class TokenRotations {
  private readonly logger = new Logger(TokenRotations.name);
  private readonly together: Lanes<Rotation, RotatedToken>;
  private readonly alone: Lanes<Rotation, RotatedToken>;

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly issuer: TokenIssuer,
    private readonly transactor: Transactor,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {
    this.together = new Lanes({
      run: (workspaceId, wave) => this.runTogether(workspaceId, wave),
      keyOf: ({ token }) => keyOf(token),
      wavesAtOnce: WRITE_WAVES,
    });
    this.alone = new Lanes({
      run: async (workspaceId, [rotation]) => [
        { value: await this.runAlone(workspaceId, rotation!) },
      ],
      maxWave: 1,
    });
  }

  /**
   * Retires a token, and issues the next generation in its place. Of several rotations of one token
   * exactly one succeeds.
   * @throws TokenNotFound, UserGroupNotFound, KeyTaken, AuditUnavailable, DatabaseUnavailable
   */
  rotate(rotation: Rotation): Promise<RotatedToken> {
    return this.together.join(rotation.caller.workspaceId, rotation);
  }

  private async runTogether(
    workspaceId: number,
    wave: readonly Rotation[],
  ): Promise<Outcome<RotatedToken | Promise<RotatedToken>>[]> {
    let rotated: (RotatedToken | undefined)[] = [];
    try {
      rotated = await this.run(workspaceId, wave, false);
    } catch (error) {
      if (error instanceof DatabaseUnavailable && !isLockConflict(error.cause)) throw error;
      if (!(error instanceof KeyTaken)) {
        this.logger.warn({ msg: 'rotations go one by one', rotations: wave.length, err: error });
      }
    }
    return wave.map((rotation, index) => ({
      value: rotated[index] ?? this.alone.join(workspaceId, rotation),
    }));
  }

  private async runAlone(workspaceId: number, rotation: Rotation): Promise<RotatedToken> {
    const { token } = rotation;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const [rotated] = await this.run(workspaceId, [rotation], true);
      if (rotated) return rotated;
      if ('hash' in token) throw new TokenNotFound();
      const { providedId } = token;
      const group = await this.userGroups.find({ workspaceId, providedId }, false);
      if (!group) throw new UserGroupNotFound();
    }
    throw new DatabaseUnavailable(new Error(`lost ${MAX_ATTEMPTS} races for one token`));
  }

  /**
   * One transaction; what it has changed is announced after its commit.
   * @param waits else a token that another transaction holds stays as it is
   * @returns for each rotation its group; undefined where no token was retired
   */
  private async run(
    workspaceId: number,
    wave: readonly Rotation[],
    waits: boolean,
  ): Promise<(RotatedToken | undefined)[]> {
    const rotated = await this.transactor.run(async (manager) => {
      const now = Date.now();
      const retirements = wave.map(({ caller, token, graceSeconds }) => ({
        token,
        validUntil: graceSeconds === 0 ? null : now + graceSeconds * 1000,
        retiredBy: caller.apiTokenId,
      }));
      const all = await this.tokens.retireAll(manager, workspaceId, retirements, waits, now);
      const found = matches(wave, all);
      const generations = found.map(({ retired }) => nextOf(retired));
      const issuing = this.issuer.issueAll(manager, workspaceId, generations, now);
      const calls = found.flatMap(({ rotation: { call }, retired }) =>
        call ? [{ call, issued: { ...retired, generation: retired.generation + 1 } }] : [],
      );
      const events = found.map(
        ({ rotation: { caller, graceSeconds }, retired }) =>
          [caller, rotationEvent(retired, graceSeconds)] as const,
      );
      await settled([
        issuing,
        this.idempotencyKeys.rememberAll(manager, calls, now),
        this.auditLog.recordAll(manager, events),
      ]);
      const issued = await issuing;
      return new Map(
        found.map(({ rotation, retired }, index) => {
          const { userGroupId, providedId, name } = retired;
          return [rotation, { userGroupId, providedId, name, token: issued[index]! }];
        }),
      );
    });
    this.issuer.rotations += rotated.size;
    for (const { userGroupId } of rotated.values()) {
      this.changes.announce({ workspaceId, userGroupId });
    }
    return wave.map((rotation) => rotated.get(rotation));
  }
}

/** The rotations that have retired a token, each with what it was. A token is retired once. */
function matches(
  wave: readonly Rotation[],
  retired: readonly RetiredToken[],
): { rotation: Rotation; retired: RetiredToken }[] {
  const byKey = new Map(wave.map((rotation) => [keyOf(rotation.token), rotation]));
  return retired.flatMap((token) => {
    const rotation = byKey.get(keyOf(token.named));
    return rotation ? [{ rotation, retired: token }] : [];
  });
}

/** Rotations with the same key would retire the same token. */
function keyOf(token: TokenName): string {
  return 'hash' in token ? token.hash.toString('base64') : `of ${token.providedId}`;
}
