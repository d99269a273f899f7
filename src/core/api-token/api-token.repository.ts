import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ApiTokenEnded, ApiTokenNotFound } from './api-token.errors.ts';
import { DatabaseUnavailable } from '../../platform/common/problem/errors.ts';
import type { Page, PageQueryDto } from '../../platform/common/http/parameters/page.dto.ts';
import { hashToken } from '../../platform/common/secret/secrets.ts';
import { DAY_MS, currentTime } from '../../platform/common/time.ts';
import { toBytesText } from '../../platform/database/dialect.ts';
import { KeysetList, KeysetOrder } from '../../platform/database/keyset-list.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { ApiToken } from './api-token.entity.ts';
import { type Grant, hasEnded } from './api-token.rules.ts';
import type { ApiTokenState } from './dto/api-token-response.dto.ts';

interface TokenKey {
  workspaceId: number;
  id: number;
}

/** Ids above this are random; none has more than nine digits. */
const FIRST = 100_000_000;
const MAX_START = 500_000_000;
const MAX_STEP = 100;
/** A random id may belong to another workspace already, seldom twice in a row. */
const MAX_ATTEMPTS = 20;

type Given = {
  workspaceId: number;
  name: string;
  firstTokenId: number | null;
  subject?: string | null;
} & Grant;
type NewToken = Required<Given> & { tokenHash: Buffer; lastFour: string; createdAt: number };

/**
 * Ids of a workspace grow by random steps from a random start: they reveal the order of its tokens, but not the number
 * of tokens of others. Tokens are never removed, so no id is reused.
 */
const insertToken = statement<NewToken & { start: number; step: number }, { id: number }>(
  'api-token.insert',
  () => `
    INSERT INTO api_token (id, workspace_id, name, token_hash, last_four, scopes, created_at,
      expires_at, allowed_cidrs, user_groups, first_token_id, subject)
    VALUES (
      COALESCE(
        (SELECT max(id) FROM api_token WHERE workspace_id = :workspaceId AND id >= ${FIRST})
          + CAST(:step AS integer),
        CASE WHEN EXISTS (SELECT 1 FROM api_token) THEN CAST(:start AS integer) ELSE 1 END),
      :workspaceId, :name, :tokenHash, :lastFour, :scopes, :createdAt, :expiresAt, :allowedCidrs,
      :userGroups, :firstTokenId, :subject)
    ON CONFLICT (id) DO NOTHING
    RETURNING id`,
);

/** All that changes of a token but the time of its use. */
type Changeable = Pick<
  ApiToken,
  | 'name'
  | 'scopes'
  | 'expiresAt'
  | 'allowedCidrs'
  | 'userGroups'
  | 'revokedAt'
  | 'supersededBy'
  | 'workspaceId'
  | 'id'
>;

const updateToken = statement<Changeable>(
  'api-token.update',
  () => `
    UPDATE api_token SET name = :name, scopes = :scopes, expires_at = :expiresAt,
      allowed_cidrs = :allowedCidrs, user_groups = :userGroups, revoked_at = :revokedAt,
      superseded_by = :supersededBy
    WHERE workspace_id = :workspaceId AND id = :id`,
);

export type ShownApiToken = Omit<
  ApiToken,
  'workspaceId' | 'workspace' | 'tokenHash' | 'firstTokenId'
>;

const SHOWN = `
  id, name, last_four AS "lastFour", scopes, created_at AS "createdAt", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt", revoked_at AS "revokedAt", allowed_cidrs AS "allowedCidrs",
  user_groups AS "userGroups", superseded_by AS "supersededBy", subject`;

/** Tokens of a workspace, or those in one state. */
interface Choice {
  workspaceId: number;
  state: ApiTokenState | null;
  now: number;
}

/** The states of `toApiTokenView`. */
const CHOSEN = `
  workspace_id = :workspaceId AND (CAST(:state AS text) IS NULL OR CAST(:state AS text) = CASE
    WHEN revoked_at IS NOT NULL THEN 'revoked'
    WHEN expires_at <= CAST(:now AS bigint) THEN 'expired'
    WHEN superseded_by IS NULL THEN 'active'
    ELSE 'superseded' END)`;

const tokenList = new KeysetList<Choice, ShownApiToken>(
  'api-token.list',
  new KeysetOrder([['id', 'id']]),
  (page) => `SELECT ${SHOWN} FROM api_token WHERE ${CHOSEN} AND ${page}`,
);

const countTokens = statement<Choice, { count: number }>(
  'api-token.count-chosen',
  () => `SELECT CAST(count(*) AS integer) AS count FROM api_token WHERE ${CHOSEN}`,
);

const SOON_MS = 30 * DAY_MS;

/** Tokens that are neither revoked nor expired, and those of them that expire within 30 days and have no successor. */
const countActive = statement<
  { workspaceId: number; now: number; soon: number },
  { active: number; expiringSoon: number }
>(
  'api-token.count',
  () => `
    SELECT CAST(count(*) AS integer) AS active,
      CAST(count(CASE WHEN expires_at <= CAST(:soon AS bigint) AND superseded_by IS NULL THEN 1 END)
        AS integer) AS "expiringSoon"
    FROM api_token
    WHERE workspace_id = :workspaceId AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > CAST(:now AS bigint))`,
);

const findToken = statement<TokenKey, ShownApiToken>(
  'api-token.find',
  () => `SELECT ${SHOWN} FROM api_token WHERE workspace_id = :workspaceId AND id = :id`,
);

const findHeld = statement<
  { workspaceId: number; hashes: readonly string[] },
  { id: number; hash: string }
>(
  'api-token.find-held',
  ({ isOneOf, toHex }) => `
    SELECT id, ${toHex('token_hash')} AS hash FROM api_token
    WHERE workspace_id = :workspaceId AND ${isOneOf('token_hash', ':hashes', 'bytes')} ORDER BY id`,
);

/** Queries API tokens, except for authentication; each query names its workspace. */
@Injectable()
export class ApiTokenRepository {
  constructor(private readonly statements: Statements) {}

  /** Lists one page in the order of creation. */
  list(choice: Choice, query: PageQueryDto): Promise<Page<ShownApiToken>> {
    return tokenList.page(this.statements, query, choice);
  }

  async count(choice: Choice): Promise<number> {
    const [row] = await this.statements.read(countTokens, choice);
    return row!.count;
  }

  async countActive(workspaceId: number): Promise<{ active: number; expiringSoon: number }> {
    const now = currentTime();
    const [counts] = await this.statements.read(countActive, {
      workspaceId,
      now,
      soon: now + SOON_MS,
    });
    return counts!;
  }

  /** Reads a token as committed. @throws ApiTokenNotFound */
  async show(key: TokenKey): Promise<ShownApiToken> {
    const [token] = await this.statements.read(findToken, key);
    if (!token) throw new ApiTokenNotFound();
    return token;
  }

  /** Finds the tokens of the workspace among those with these hashes. */
  findHeld(
    workspaceId: number,
    hashes: readonly Buffer[],
  ): Promise<{ id: number; hash: string }[]> {
    return this.statements.read(findHeld, { workspaceId, hashes: hashes.map(toBytesText) });
  }

  /** Reads a token within a transaction. @throws ApiTokenNotFound */
  async get(manager: EntityManager, { workspaceId, id }: TokenKey): Promise<ApiToken> {
    const token = await manager.findOneBy(ApiToken, { workspaceId, id });
    if (!token) throw new ApiTokenNotFound();
    return token;
  }

  /**
   * Reads a token that can be changed: neither ended, nor in the overlap of a rotation.
   * @throws ApiTokenNotFound, ApiTokenEnded
   */
  async getActive(manager: EntityManager, key: TokenKey): Promise<ApiToken> {
    const token = await this.get(manager, key);
    if (hasEnded(token) || token.supersededBy !== null) throw new ApiTokenEnded();
    return token;
  }

  /** Inserts a new token; stores its hash only. */
  async insert(manager: EntityManager, token: string, given: Given): Promise<ApiToken> {
    const row = {
      subject: null,
      ...given,
      tokenHash: hashToken(token),
      lastFour: token.slice(-4),
      createdAt: currentTime(),
    };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const [inserted] = await this.statements.run(manager, insertToken, {
        ...row,
        start: randomInt(FIRST, MAX_START),
        step: randomInt(1, MAX_STEP + 1),
      });
      if (inserted) return this.get(manager, { workspaceId: given.workspaceId, id: inserted.id });
    }
    throw new DatabaseUnavailable(new Error(`found no free id in ${MAX_ATTEMPTS} attempts`));
  }

  /** Stores what has been changed of a token that was read in the same transaction, under the lock of its workspace. */
  async update(manager: EntityManager, token: ApiToken): Promise<void> {
    await this.statements.run(manager, updateToken, token);
  }

  /** Ends the predecessor of a token that is being rotated; returns undefined if none is still valid. */
  async endOverlap(
    manager: EntityManager,
    { workspaceId, id }: TokenKey,
  ): Promise<ApiToken | undefined> {
    const predecessor = await manager.findOneBy(ApiToken, { workspaceId, supersededBy: id });
    if (!predecessor || hasEnded(predecessor)) return undefined;
    predecessor.revokedAt = currentTime();
    await this.update(manager, predecessor);
    return predecessor;
  }
}
