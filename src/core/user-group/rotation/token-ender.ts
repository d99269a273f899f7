import { Injectable } from '@nestjs/common';
import { type AuditEntry, AuditLog } from '../../audit/audit-log.ts';
import { ChangeFeed } from '../../change-log/change-feed.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { UserGroupTokenNotFound } from '../group/user-group.errors.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { FormerTokens } from '../token/former-tokens.ts';
import { type HeldToken, UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import type { Leak } from '../writing/user-group-change.ts';
import { TokenRotations } from './token-rotations.ts';

export interface TokenEnd {
  /** Undefined for a token of a deleted group. */
  providedId?: string;
  /** False for a token that was inactive already. */
  isEnded: boolean;
  /** Undefined unless it is a preview of a token whose group is there. */
  lastIntrospectedAt?: number | null;
}

/** A token can be rotated with an overlap between the read of its state and the statement that ends it. */
const MAX_ATTEMPTS = 3;

/** Ends tokens for callers who hold them, or have found them. */
@Injectable()
export class TokenEnder {
  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly formerTokens: FormerTokens,
    private readonly rotations: TokenRotations,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /** Finds the tokens of the workspace that `end` would find; `isEnded` tells whether it would end them. */
  async preview(workspaceId: number, hashes: readonly Buffer[]): Promise<Map<string, TokenEnd>> {
    const held = await this.tokens.findHeld(workspaceId, hashes);
    const former = await this.formerTokens.find(workspaceId, hashes);
    const found = new Map<string, TokenEnd>([...former].map((hash) => [hash, { isEnded: false }]));
    for (const { state, ...one } of held) {
      found.set(one.hash, { ...one, isEnded: state !== 'ended' });
    }
    return found;
  }

  /**
   * Replaces the current ones of the tokens without an overlap, and ends the overlap of the others. The new tokens are
   * not returned: the next look-up of each group returns its own. No group can have any of them again.
   * @returns the tokens of the workspace among them, by hash in hexadecimal
   */
  async end(
    caller: Caller,
    hashes: readonly Buffer[],
    leak?: Leak,
  ): Promise<Map<string, TokenEnd>> {
    const { workspaceId } = caller;
    const former = await this.formerTokens.find(workspaceId, hashes);
    await this.note(workspaceId, former);
    const ended = new Map<string, TokenEnd>([...former].map((hash) => [hash, { isEnded: false }]));
    let left = hashes;
    for (let attempt = 1; left.length > 0 && attempt <= MAX_ATTEMPTS; attempt++) {
      const held = await this.tokens.findHeld(workspaceId, left);
      for (const { hash, providedId } of held) ended.set(hash, { providedId, isEnded: false });
      // First: a group that is deleted meanwhile leaves its last token to an import.
      if (attempt === 1) await this.note(workspaceId, new Set(held.map(({ hash }) => hash)));
      const done = [
        ...(await this.replace(caller, held, leak)),
        ...(await this.endOverlaps(caller, held, leak)),
      ];
      for (const { hash, providedId } of done) ended.set(hash, { providedId, isEnded: true });
      left = held.flatMap(({ state, hash }) =>
        state !== 'ended' && !ended.get(hash)!.isEnded ? [Buffer.from(hash, 'hex')] : [],
      );
    }
    return ended;
  }

  private async note(workspaceId: number, tokens: ReadonlySet<string>): Promise<void> {
    if (tokens.size === 0) return;
    const hashes = [...tokens].map((hash) => Buffer.from(hash, 'hex'));
    await this.transactor.run((manager) => this.formerTokens.end(manager, workspaceId, hashes));
  }

  /** @returns those that were current until then */
  private async replace(
    caller: Caller,
    held: readonly HeldToken[],
    leak?: Leak,
  ): Promise<HeldToken[]> {
    const current = held.filter(({ state }) => state === 'current');
    const outcomes = await Promise.allSettled(
      current.map(({ hash }) =>
        this.rotations.rotate({
          caller,
          tokenHash: Buffer.from(hash, 'hex'),
          graceSeconds: 0,
          leak,
        }),
      ),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected' && !(outcome.reason instanceof UserGroupTokenNotFound)) {
        throw outcome.reason;
      }
    }
    return current.filter((_token, index) => outcomes[index]!.status === 'fulfilled');
  }

  /** @returns those whose overlap was not over */
  private async endOverlaps(
    caller: Caller,
    held: readonly HeldToken[],
    leak?: Leak,
  ): Promise<HeldToken[]> {
    const overlapping = held.filter(({ state }) => state === 'overlap');
    if (overlapping.length === 0) return [];
    const { workspaceId, apiTokenId: revokedBy } = caller;
    const done = await this.transactor.run(async (manager) => {
      const hashes = overlapping.map(({ hash }) => Buffer.from(hash, 'hex'));
      const ended = await this.tokens.endOverlaps(manager, { workspaceId, hashes, revokedBy });
      const isEnded = overlapping.filter(({ hash }) => ended.has(hash));
      const records = isEnded
        .flatMap((token) => eventsOf(token, leak))
        .map((entry) => [caller, entry] as const);
      await this.auditLog.recordAll(manager, records);
      return isEnded;
    });
    for (const { userGroupId } of done) this.changes.announce({ workspaceId, userGroupId });
    return done;
  }
}

function eventsOf({ userGroupId, providedId, generation }: HeldToken, leak?: Leak): AuditEntry[] {
  const object = { type: 'user_group', id: providedId };
  const event = { object, userGroupId, version: generation };
  const details = { team_id: userGroupId, generation };
  return [
    { ...event, action: 'user_group_token.revoke', details },
    ...(leak
      ? [{ ...event, action: 'user_group_token.leaked' as const, details: { ...details, ...leak } }]
      : []),
  ];
}
