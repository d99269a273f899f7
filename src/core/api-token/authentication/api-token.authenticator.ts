import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../../../platform/common/access/caller.ts';
import { ApiTokenInvalid } from '../../../platform/common/problem/errors.ts';
import {
  hashToken,
  hashTokenText,
  isWellFormedToken,
} from '../../../platform/common/secret/secrets.ts';
import { currentTime } from '../../../platform/common/time.ts';
import {
  parseRange,
  type UserGroupRange,
} from '../../../platform/common/access/user-group-range.ts';
import { type Change, ChangeFeed, type ChangeListener } from '../../change-log/change-feed.ts';
import { SharedReads } from '../../../platform/database/waves/shared-reads.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { ApiToken } from '../api-token.entity.ts';
import { type Ranges, toRanges } from '../cidr.ts';

export interface AuthenticApiToken {
  id: number;
  /** The first of its chain of rotations, perhaps itself. */
  firstTokenId: number;
  workspaceId: number;
  scopes: ReadonlySet<Scope>;
  range: UserGroupRange | null;
  /** Infinity if it never expires. */
  expiresAt: number;
  /** Undefined allows any address. */
  allowedRanges?: Ranges;
}

type Row = Pick<
  ApiToken,
  | 'id'
  | 'firstTokenId'
  | 'workspaceId'
  | 'scopes'
  | 'expiresAt'
  | 'revokedAt'
  | 'allowedCidrs'
  | 'userGroups'
> & { hash: string };

const MAX_CACHED = 10_000;
/** One lane for all callers, because the owner of a token is known only afterwards. */
const EVERYBODY = 0;

const findByHashes = statement<{ hashes: readonly string[] }, Row>(
  'api-token.find-by-hashes',
  (dialect) =>
    dialect.forEachKey(
      ':hashes',
      (key) => `
    SELECT ${dialect.toHex('token_hash')} AS hash, id, first_token_id AS "firstTokenId", workspace_id AS "workspaceId", scopes, expires_at AS "expiresAt",
      revoked_at AS "revokedAt", allowed_cidrs AS "allowedCidrs", user_groups AS "userGroups"
    FROM api_token
    WHERE ${key.is('token_hash', dialect.fromHex)}`,
    ),
);

/**
 * Identifies the owner of an API token. Uses the cache only while the change feed is current, so that a revoked token
 * is refused everywhere within a second. Caches valid tokens only: guessing cannot fill the memory.
 */
@Injectable()
export class ApiTokenAuthenticator implements ChangeListener {
  private readonly known = new LRUCache<string, AuthenticApiToken>({ max: MAX_CACHED });
  /** Concurrent guesses share statements. */
  private readonly rows = new SharedReads<Row>(async (_everybody, hashes) => {
    const rows = await this.statements.read(findByHashes, { hashes });
    return new Map(rows.map((row) => [row.hash, row]));
  });
  private changesSeen = 0;

  constructor(
    private readonly statements: Statements,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns a cached token; undefined if the database has to be read. */
  recall(token: string): AuthenticApiToken | undefined {
    if (!this.changes.isCurrent()) return undefined;
    const known = this.known.get(hashTokenText(token));
    return known && known.expiresAt > currentTime() ? known : undefined;
  }

  /** @throws ApiTokenInvalid if the token is unknown, revoked or expired; DatabaseUnavailable */
  async authenticate(token: string): Promise<AuthenticApiToken> {
    // A mistyped token fails its checksum, which saves a read.
    if (token.startsWith('uga_') && !isWellFormedToken('uga', token)) throw new ApiTokenInvalid();
    const known = this.recall(token) ?? (await this.load(token));
    if (!known) throw new ApiTokenInvalid();
    if (known.expiresAt <= currentTime()) throw ended(known.workspaceId, known.id);
    return known;
  }

  invalidate({ workspaceId, ...change }: Change): void {
    if (change.userGroupId !== undefined || change.of !== 'api_tokens') return;
    this.changesSeen++;
    for (const [hash, token] of this.known.entries()) {
      if (token.workspaceId === workspaceId) this.known.delete(hash);
    }
  }

  invalidateAll(): void {
    this.changesSeen++;
    this.known.clear();
  }

  /**
   * Loads a token, and caches it unless it may have changed since the load began.
   * @throws ApiTokenInvalid if the token has been revoked
   */
  private async load(token: string): Promise<AuthenticApiToken | undefined> {
    // At the first use: the command line authenticates nobody, and needs no connection to hear of changes.
    this.changes.subscribe(this);
    const { changesSeen } = this;
    const row = await this.rows.read(EVERYBODY, hashToken(token).toString('hex'));
    if (!row) return undefined;
    if (row.revokedAt !== null) throw ended(row.workspaceId, row.id);
    const found = toApiToken(row);
    if (this.changesSeen === changesSeen) this.known.set(hashTokenText(token), found);
    return found;
  }
}

function toApiToken(row: Row): AuthenticApiToken {
  return {
    id: row.id,
    firstTokenId: row.firstTokenId ?? row.id,
    workspaceId: row.workspaceId,
    scopes: new Set(row.scopes.split(' ') as Scope[]),
    range: parseRange(row.userGroups),
    expiresAt: row.expiresAt ?? Infinity,
    ...(row.allowedCidrs !== null && { allowedRanges: toRanges(row.allowedCidrs.split(' ')) }),
  };
}

function ended(workspaceId: number, apiTokenId: number): ApiTokenInvalid {
  return new ApiTokenInvalid({ workspaceId, apiTokenId });
}
