import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller, Scope } from '../common/caller';
import { ApiTokenInvalid } from '../common/errors';
import { hashToken, isWellFormedToken } from '../common/secrets';
import { statement, Statements } from '../database/statement';

interface Known {
  caller: Caller;
  /** Milliseconds since 1970; Infinity if it never expires. */
  expiresAt: number;
}

interface Row {
  id: number;
  workspaceId: number;
  scopes: string;
  expiresAt: number | null;
}

/**
 * A revoked token must be refused everywhere within a second, so an answer of the database is
 * believed for less, counted from before the question was asked.
 */
const BELIEVED_MS = 750;
const MAX_KNOWN = 10_000;

const findValid = statement<{ hash: Buffer }, Row>(
  'api-token.find-valid',
  () => `
    SELECT id, workspace_id AS "workspaceId", scopes, expires_at AS "expiresAt"
    FROM api_token
    WHERE token_hash = :hash AND revoked_at IS NULL`,
);

/** Tells whose API token it is. Only valid tokens are remembered, so guessing cannot fill the memory. */
@Injectable()
export class ApiTokenAuthenticator {
  private readonly known = new LRUCache<string, Known>({
    max: MAX_KNOWN,
    ttl: BELIEVED_MS,
    fetchMethod: async (_key, _stale, { options, context }) => {
      const askedAt = performance.now();
      const known = await this.find(context as Buffer);
      options.ttl = Math.max(1, BELIEVED_MS - (performance.now() - askedAt));
      return known;
    },
  });

  constructor(private readonly statements: Statements) {}

  /** @throws ApiTokenInvalid if the token is unknown, revoked or expired; DatabaseUnavailable */
  async authenticate(token: string): Promise<Caller> {
    // A mistyped token is told by its checksum, without asking the database.
    if (token.startsWith('uga_') && !isWellFormedToken('uga', token)) throw new ApiTokenInvalid();
    const hash = hashToken(token);
    const known = await this.known.fetch(hash.toString('base64'), { context: hash });
    if (!known || known.expiresAt <= Date.now()) throw new ApiTokenInvalid();
    return known.caller;
  }

  private async find(hash: Buffer): Promise<Known | undefined> {
    const [row] = await this.statements.read(findValid, { hash });
    if (!row) return undefined;
    return {
      caller: {
        workspaceId: row.workspaceId,
        apiTokenId: row.id,
        scopes: new Set(row.scopes.split(' ') as Scope[]),
      },
      expiresAt: row.expiresAt ?? Infinity,
    };
  }
}
