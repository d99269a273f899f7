import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../common/caller.ts';
import { ApiTokenInvalid } from '../common/errors.ts';
import { handled } from '../common/handled.ts';
import { hashTokenText, isWellFormedToken } from '../common/secrets.ts';
import { type Change, ChangeFeed, type ChangeListener } from '../database/change-feed.ts';
import { statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';
import { type Ranges, toRanges } from './cidr.ts';

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

const MAX_CACHED = 10_000;
/** Who joins a load must not be answered by what the database said a second ago. */
const MAX_JOINABLE_MS = 750;

interface PendingLoad {
  startedAt: number;
  result: Promise<AuthenticApiToken | undefined>;
}

const findByHash = statement<{ hash: Buffer }, Row>(
  'api-token.find-by-hash',
  () => `
    SELECT id, first_token_id AS "firstTokenId", workspace_id AS "workspaceId", scopes, expires_at AS "expiresAt",
      revoked_at AS "revokedAt", allowed_cidrs AS "allowedCidrs"
    FROM api_token
    WHERE token_hash = :hash`,
);

/**
 * Identifies the owner of an API token. What is cached is answered only while the change feed is
 * current, so that a revoked token is refused everywhere within a second. Only valid tokens are
 * cached: guessing cannot fill the memory.
 */
@Injectable()
export class ApiTokenAuthenticator implements ChangeListener {
  private readonly known = new LRUCache<string, AuthenticApiToken>({ max: MAX_CACHED });
  /** Of the same token several callers share one query; none of those that come after a change. */
  private readonly pending = new Map<string, PendingLoad>();
  private isSubscribed = false;

  constructor(
    private readonly statements: Statements,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns a token from the cache; undefined if the database has to be queried. */
  recall(token: string): AuthenticApiToken | undefined {
    if (!this.changes.isCurrent()) return undefined;
    const known = this.known.get(hashTokenText(token));
    return known && known.expiresAt > Date.now() ? known : undefined;
  }

  /** @throws ApiTokenInvalid if the token is unknown, revoked or expired; DatabaseUnavailable */
  async authenticate(token: string): Promise<AuthenticApiToken> {
    // A mistyped token fails its checksum, so the database is not asked.
    if (token.startsWith('uga_') && !isWellFormedToken('uga', token)) throw new ApiTokenInvalid();
    const known = this.recall(token) ?? (await this.load(hashTokenText(token)));
    if (!known) throw new ApiTokenInvalid();
    if (known.expiresAt <= Date.now()) throw ended(known.workspaceId, known.id);
    return known;
  }

  invalidate({ workspaceId, ...change }: Change): void {
    if (change.userGroupId !== undefined || change.of !== 'api_tokens') return;
    this.pending.clear();
    for (const [hash, token] of this.known.entries()) {
      if (token.workspaceId === workspaceId) this.known.delete(hash);
    }
  }

  invalidateAll(): void {
    this.pending.clear();
    this.known.clear();
  }

  private load(hash: string): Promise<AuthenticApiToken | undefined> {
    this.subscribe();
    const pending = this.pending.get(hash);
    const now = performance.now();
    if (pending && now - pending.startedAt < MAX_JOINABLE_MS) return pending.result;
    const load = { startedAt: now, result: handled(this.find(Buffer.from(hash, 'base64'))) };
    this.pending.set(hash, load);
    void this.keep(hash, load);
    return load.result;
  }

  /** Caches what is loaded, unless it may have changed since the load began. */
  private async keep(hash: string, load: PendingLoad): Promise<void> {
    const token = await load.result.catch(() => undefined);
    if (this.pending.get(hash) !== load) return;
    this.pending.delete(hash);
    if (token) this.known.set(hash, token);
  }

  /** At the first use: the command line authenticates nobody, and needs no connection to hear of changes. */
  private subscribe(): void {
    if (this.isSubscribed) return;
    this.isSubscribed = true;
    this.changes.subscribe(this);
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
