import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ActivityTally } from '../../activity/activity-tally.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import type { Caller } from '../../common/caller.ts';
import {
  DatabaseUnavailable,
  UserGroupTokenNotFound,
  UserGroupNotFound,
} from '../../common/errors.ts';
import { ChangeFeed } from '../../database/change-feed.ts';
import type { Outcome } from '../../database/lanes.ts';
import { SharedWrites, WRITE_WAVES } from '../../database/shared-writes.ts';
import { settled } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';
import { UserGroupRepository } from '../group/user-group.repository.ts';
import { nextOf, rotationEvent, TokenIssuer } from '../token/token-issuer.ts';
import {
  type RetiredToken,
  type TokenName,
  UserGroupTokenRepository,
} from '../token/user-group-token.repository.ts';
import { type IdempotentCall, IdempotencyKeys, KeyTaken } from './idempotency-keys.ts';

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
 * transaction.
 */
@Injectable()
export class TokenRotations {
  private readonly shared: SharedWrites<Rotation, RotatedToken>;

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly issuer: TokenIssuer,
    private readonly transactor: Transactor,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly activity: ActivityTally,
  ) {
    this.shared = new SharedWrites({
      keyOf: ({ token }) => keyOf(token),
      together: (workspaceId, wave) => this.run(workspaceId, wave, false),
      alone: (workspaceId, rotation) => this.runAlone(workspaceId, rotation),
      isExpected: (error) => error instanceof KeyTaken,
      wavesAtOnce: WRITE_WAVES,
    });
  }

  /**
   * Retires a token, and issues the next generation in its place. Of several rotations of one token
   * exactly one succeeds.
   * @throws UserGroupTokenNotFound, UserGroupNotFound, KeyTaken, AuditUnavailable, DatabaseUnavailable
   */
  rotate(rotation: Rotation): Promise<RotatedToken> {
    return this.shared.join(rotation.caller.workspaceId, rotation);
  }

  private async runAlone(workspaceId: number, rotation: Rotation): Promise<RotatedToken> {
    const { token } = rotation;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const [outcome] = await this.run(workspaceId, [rotation], true);
      if (outcome && 'value' in outcome) return outcome.value;
      if (outcome) throw outcome.error;
      if ('hash' in token) continue;
      const { providedId } = token;
      const group = await this.userGroups.find({ workspaceId, providedId }, false);
      if (!group) throw new UserGroupNotFound();
    }
    throw new DatabaseUnavailable(new Error(`lost ${MAX_ATTEMPTS} races for one token`));
  }

  /**
   * One transaction; what it has changed is announced after its commit.
   * @param waits else a token that another transaction holds stays as it is
   * @returns for each rotation its outcome: UserGroupTokenNotFound where the token is not current; undefined
   *   where another transaction was faster
   */
  private async run(
    workspaceId: number,
    wave: readonly Rotation[],
    waits: boolean,
  ): Promise<(Outcome<RotatedToken> | undefined)[]> {
    const rotated = await this.transactor.run((manager) =>
      this.apply(manager, workspaceId, wave, waits),
    );
    for (const outcome of rotated.values()) {
      if (!('value' in outcome)) continue;
      this.issuer.rotations++;
      this.activity.of(workspaceId).rotations++;
      this.changes.announce({ workspaceId, userGroupId: outcome.value.userGroupId });
    }
    return wave.map((rotation) => rotated.get(rotation));
  }

  private async apply(
    manager: EntityManager,
    workspaceId: number,
    wave: readonly Rotation[],
    waits: boolean,
  ): Promise<Map<Rotation, Outcome<RotatedToken>>> {
    const now = Date.now();
    const retirements = wave.map(({ caller, token, graceSeconds }) => ({
      token,
      validUntil: graceSeconds === 0 ? null : now + graceSeconds * 1000,
      retiredBy: caller.apiTokenId,
    }));
    const all = await this.tokens.retireAll(manager, workspaceId, retirements, waits, now);
    const { found, unmatched } = matchRetired(wave, all);
    const calls = found.flatMap(({ rotation: { call }, retired }) =>
      call ? [{ call, issued: { ...retired, generation: retired.generation + 1 } }] : [],
    );
    const finding = this.findGone(manager, workspaceId, unmatched);
    await settled([finding, this.idempotencyKeys.rememberAll(manager, calls, now)]);
    const gone = await finding;
    const generations = found.map(({ retired }) => nextOf(retired));
    const issued = this.issuer.issueAll(manager, workspaceId, generations, now);
    const events = found.map(
      ({ rotation: { caller, graceSeconds }, retired }) =>
        [caller, rotationEvent(retired, graceSeconds)] as const,
    );
    this.auditLog.recordAll(manager, events);
    const outcomes = new Map<Rotation, Outcome<RotatedToken>>();
    for (const [index, { rotation, retired }] of found.entries()) {
      const { userGroupId, providedId, name } = retired;
      const value = { userGroupId, providedId, name, token: issued[index]! };
      outcomes.set(rotation, { value });
    }
    for (const rotation of gone) outcomes.set(rotation, { error: new UserGroupTokenNotFound() });
    return outcomes;
  }

  /** Of rotations that have retired nothing, those whose token is not current, rather than locked by another transaction. */
  private async findGone(
    manager: EntityManager,
    workspaceId: number,
    unmatched: readonly Rotation[],
  ): Promise<Rotation[]> {
    const hashes = unmatched.flatMap(({ token }) => ('hash' in token ? [token.hash] : []));
    const current = await this.tokens.findCurrentAmong(manager, workspaceId, hashes);
    const keys = new Set(current.map((hash) => keyOf({ hash })));
    return unmatched.filter(({ token }) => 'hash' in token && !keys.has(keyOf(token)));
  }
}

/** The rotations that have retired a token, each with what it was, and the others. A token is retired once. */
function matchRetired(
  wave: readonly Rotation[],
  retired: readonly RetiredToken[],
): { found: { rotation: Rotation; retired: RetiredToken }[]; unmatched: Rotation[] } {
  const byKey = new Map(wave.map((rotation) => [keyOf(rotation.token), rotation]));
  const found = retired.map((token) => {
    const key = keyOf(token.named);
    const rotation = byKey.get(key)!;
    byKey.delete(key);
    return { rotation, retired: token };
  });
  return { found, unmatched: [...byKey.values()] };
}

/** Rotations with the same key would retire the same token. */
function keyOf(token: TokenName): string {
  return 'hash' in token ? token.hash.toString('base64') : `of ${token.providedId}`;
}
