import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../common/caller';
import { ApiTokenInvalid } from '../common/errors';
import { hashTokenText, isWellFormedToken } from '../common/secrets';
import { statement, Statements } from '../database/statement';
import { type Ranges, toRanges } from './cidr';

/** A valid API token, as the database knows it. */
export interface AuthenticApiToken {
  id: number;
  /** The first of its chain of rotations, perhaps itself. */
  firstTokenId: number;
  workspaceId: number;
  scopes: ReadonlySet<Scope>;
  /** Milliseconds since 1970; Infinity if it never expires. */
  expiresAt: number;
  /** Undefined: anywhere. */
  allowedRanges?: Ranges;
}

interface Row {
  id: number;
  firstTokenId: number | null;
  workspaceId: number;
  scopes: string;
  expiresAt: number | null;
  revokedAt: number | null;
  allowedCidrs: string | null;
}

/**
 * The max age of a cached token, counted from before the query was sent: a revoked token must be
 * refused everywhere within a second.
 */
const MAX_AGE_MS = 750;
const MAX_CACHED = 10_000;

const findByHash = statement<{ hash: Buffer }, Row>(
  'api-token.find-by-hash',
  () => `
    SELECT id, first_token_id AS "firstTokenId", workspace_id AS "workspaceId", scopes, expires_at AS "expiresAt",
      revoked_at AS "revokedAt", allowed_cidrs AS "allowedCidrs"
    FROM api_token
    WHERE token_hash = :hash`,
);

/** Identifies the owner of an API token. Only valid tokens are cached, so guessing cannot fill the memory. */
@Injectable()
export class ApiTokenAuthenticator {
  private readonly known = new LRUCache<string, AuthenticApiToken>({
    max: MAX_CACHED,
    ttl: MAX_AGE_MS,
    fetchMethod: async (hash, _stale, { options }) => {
      const startedAt = performance.now();
      const known = await this.find(Buffer.from(hash, 'base64'));
      options.ttl = Math.max(1, MAX_AGE_MS - (performance.now() - startedAt));
      return known;
    },
  });

  constructor(private readonly statements: Statements) {}

  /** Returns a token from the cache; undefined if the database has to be queried. */
  recall(token: string): AuthenticApiToken | undefined {
    const known = this.known.get(hashTokenText(token));
    return known && known.expiresAt > Date.now() ? known : undefined;
  }

  /** @throws ApiTokenInvalid if the token is unknown, revoked or expired; DatabaseUnavailable */
  async authenticate(token: string): Promise<AuthenticApiToken> {
    // A mistyped token fails its checksum, so the database is not asked.
    if (token.startsWith('uga_') && !isWellFormedToken('uga', token)) throw new ApiTokenInvalid();
    const known = await this.known.fetch(hashTokenText(token));
    if (!known) throw new ApiTokenInvalid();
    if (known.expiresAt <= Date.now()) throw ended(known.workspaceId, known.id);
    return known;
  }

  /** @throws ApiTokenInvalid if the token has been revoked, so that it is not cached */
  private async find(hash: Buffer): Promise<AuthenticApiToken | undefined> {
    const [row] = await this.statements.read(findByHash, { hash });
    if (!row) return undefined;
    if (row.revokedAt !== null) throw ended(row.workspaceId, row.id);
    return {
      id: row.id,
      firstTokenId: row.firstTokenId ?? row.id,
      workspaceId: row.workspaceId,
      scopes: new Set(row.scopes.split(' ') as Scope[]),
      expiresAt: row.expiresAt ?? Infinity,
      ...(row.allowedCidrs !== null && { allowedRanges: toRanges(row.allowedCidrs.split(' ')) }),
    };
  }
}

function ended(workspaceId: number, apiTokenId: number): ApiTokenInvalid {
  return new ApiTokenInvalid({ workspaceId, apiTokenId });
}
