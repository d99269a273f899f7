import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { ApiTokenEnded, ApiTokenNotFound, DatabaseUnavailable } from '../common/errors';
import { hashToken } from '../common/secrets';
import { statement, Statements } from '../database/statement';
import { ApiToken } from './api-token.entity';
import { type Grant, hasEnded } from './api-token.rules';

interface TokenKey {
  workspaceId: number;
  id: number;
}

/** From here on ids are given at random; nine digits are the most that one may have. */
const FIRST = 100_000_000;
const MAX_START = 500_000_000;
const MAX_STEP = 100;
/** Another workspace may have the id; seldom twice in a row. */
const MAX_ATTEMPTS = 20;

type Given = { workspaceId: number; name: string; firstTokenId: number | null } & Grant;
type NewToken = Given & { tokenHash: Buffer; lastFour: string; createdAt: number };

/**
 * The ids of a workspace grow by random steps from a random start: they tell the order of its tokens,
 * and not how many others have been issued. Tokens are never removed, so no id is given twice.
 */
const insertToken = statement<NewToken & { start: number; step: number }, { id: number }>(
  'api-token.insert',
  () => `
    INSERT INTO api_token (id, workspace_id, name, token_hash, last_four, scopes, created_at,
      expires_at, allowed_cidrs, first_token_id)
    VALUES (
      COALESCE(
        (SELECT max(id) FROM api_token WHERE workspace_id = :workspaceId AND id >= ${FIRST})
          + CAST(:step AS integer),
        CASE WHEN EXISTS (SELECT 1 FROM api_token) THEN CAST(:start AS integer) ELSE 1 END),
      :workspaceId, :name, :tokenHash, :lastFour, :scopes, :createdAt, :expiresAt, :allowedCidrs,
      :firstTokenId)
    ON CONFLICT (id) DO NOTHING
    RETURNING id`,
);

/** The queries of API tokens but the one that authenticates; each names its workspace. */
@Injectable()
export class ApiTokenRepository {
  constructor(private readonly statements: Statements) {}

  /** At most `limit` tokens behind the id `after`, in the order of creation. */
  async list(
    manager: EntityManager,
    { workspaceId, after, limit }: { workspaceId: number; after: number; limit: number },
  ): Promise<ApiToken[]> {
    return manager
      .createQueryBuilder(ApiToken, 't')
      .where('t.workspaceId = :workspaceId', { workspaceId })
      .andWhere('t.id > CAST(:after AS bigint)', { after })
      .orderBy('t.id')
      .limit(limit)
      .getMany();
  }

  /** @throws ApiTokenNotFound */
  async get(manager: EntityManager, { workspaceId, id }: TokenKey): Promise<ApiToken> {
    const token = await manager.findOneBy(ApiToken, { workspaceId, id });
    if (!token) throw new ApiTokenNotFound();
    return token;
  }

  /**
   * A token that can be changed: one that has ended, or is only kept for the overlap of a rotation,
   * never is again.
   * @throws ApiTokenNotFound, ApiTokenEnded
   */
  async getActive(manager: EntityManager, key: TokenKey): Promise<ApiToken> {
    const token = await this.get(manager, key);
    if (hasEnded(token) || token.supersededBy !== null) throw new ApiTokenEnded();
    return token;
  }

  /** Of a new token the hash is kept, the token is not. */
  async insert(manager: EntityManager, token: string, given: Given): Promise<ApiToken> {
    const row = {
      ...given,
      tokenHash: hashToken(token),
      lastFour: token.slice(-4),
      createdAt: Date.now(),
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

  /** Ends the predecessor of a token that is being rotated; undefined if it has none that is valid still. */
  async endOverlap(
    manager: EntityManager,
    { workspaceId, id }: TokenKey,
  ): Promise<ApiToken | undefined> {
    const predecessor = await manager.findOneBy(ApiToken, { workspaceId, supersededBy: id });
    if (!predecessor || hasEnded(predecessor)) return undefined;
    predecessor.revokedAt = Date.now();
    return manager.save(predecessor);
  }
}
