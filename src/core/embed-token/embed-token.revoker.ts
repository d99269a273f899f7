import { Injectable } from '@nestjs/common';
import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { ChangeFeed } from '../change-log/change-feed.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { DAY_MS } from '../../platform/common/time.ts';
import { inParts } from '../../platform/common/concurrency/in-parts.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { ExpirySweep, removeOldest } from '../../platform/database/upkeep/expiry-sweep.ts';
import type { Leak } from '../user-group/writing/user-group-change.ts';
import { EmbedTokenReader, generationOf, type ReadEmbedToken } from './embed-token.reader.ts';

interface Revocation {
  userGroupId: number;
  jti: string;
  expiresAt: number;
}

const insert = statement<
  { workspaceId: number; revoked: readonly Revocation[] },
  Pick<Revocation, 'userGroupId' | 'jti'>
>(
  'embed-token.revoke',
  ({ recordsOf, lockRows }) => `
    INSERT INTO revoked_embed_token (user_group_id, jti, expires_at)
    SELECT g.id, r.jti, r."expiresAt"
    FROM ${recordsOf(':revoked', { userGroupId: 'integer', jti: 'text', expiresAt: 'bigint' })}
    JOIN user_group g ON g.id = r."userGroupId" AND g.workspace_id = :workspaceId
    WHERE true ORDER BY g.id, r.jti ${lockRows('g', 'KEY SHARE')}
    ON CONFLICT (user_group_id, jti) DO NOTHING
    RETURNING user_group_id AS "userGroupId", jti`,
);

/** Ends embed tokens before they expire. */
@Injectable()
export class EmbedTokenRevoker {
  constructor(
    private readonly reader: EmbedTokenReader,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /** @returns the tokens of the workspace among the texts, by the text */
  async end(
    caller: Caller,
    texts: readonly string[],
    leak?: Leak,
  ): Promise<Map<string, { providedId: string; isEnded: boolean }>> {
    const read = await inParts(texts, (part) =>
      Promise.all(part.map((text) => this.reader.read(caller, text, true))),
    );
    const known = texts.flatMap((text, index) => (read[index] ? [{ text, ...read[index] }] : []));
    const active = known.filter((one) => generationOf(one));
    const ended = new Set(active.length === 0 ? [] : await this.store(caller, active, leak));
    return new Map(
      known.map((one) => [
        one.text,
        { providedId: one.group.providedId, isEnded: ended.has(one.claims.jti) },
      ]),
    );
  }

  /** @returns the ids of those that are ended now, and were not before */
  private async store(
    caller: Caller,
    tokens: readonly ReadEmbedToken[],
    leak?: Leak,
  ): Promise<string[]> {
    const stored = await this.transactor.run(async (manager) => {
      const revoked = tokens.map(({ claims: { team_id: userGroupId, jti, exp } }) => {
        return { userGroupId, jti, expiresAt: exp * 1000 };
      });
      const rows = await this.statements.run(manager, insert, {
        workspaceId: caller.workspaceId,
        revoked,
      });
      const ids = new Set(rows.map(({ jti }) => jti));
      const events = tokens
        .filter(({ claims }) => ids.delete(claims.jti))
        .flatMap((token) => eventsOf(token, leak));
      const recorded = events.map((entry) => [caller, entry] as const);
      await this.auditLog.recordAll(manager, recorded);
      return rows;
    });
    for (const { userGroupId } of stored) {
      this.changes.announce({ workspaceId: caller.workspaceId, userGroupId });
    }
    return stored.map(({ jti }) => jti);
  }
}

function eventsOf({ claims: { jti, gen }, group }: ReadEmbedToken, leak?: Leak): AuditEntry[] {
  const { userGroupId, providedId } = group;
  const object = { type: 'user_group', id: providedId };
  const event = { object, userGroupId, version: gen };
  const details = { team_id: userGroupId, generation: gen, jti };
  return [
    { ...event, action: 'embed_token.revoke', details },
    ...(leak
      ? [{ ...event, action: 'embed_token.leaked' as const, details: { ...details, ...leak } }]
      : []),
  ];
}

/** Removes revocations a day after their tokens expire, since the clock of a verifier may be behind. */
@Injectable()
export class RevokedEmbedTokenExpiry extends ExpirySweep {
  protected readonly removeExpired = removeOldest(
    'revoked_embed_token',
    'expires_at',
    'user_group_id',
    'jti',
  );
  protected override readonly retentionMs = DAY_MS;
}
