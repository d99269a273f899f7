import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiTokenEnded, ApiTokenNotFound } from '../common/errors';
import { hashToken } from '../common/secrets';
import { ApiToken } from './api-token.entity';
import { type Grant, hasEnded } from './api-token.rules';

interface TokenKey {
  workspaceId: number;
  id: number;
}

/** The queries of API tokens but the one that authenticates; each names its workspace. */
@Injectable()
export class ApiTokenRepository {
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
  async insert(
    manager: EntityManager,
    token: string,
    given: { workspaceId: number; name: string } & Grant,
  ): Promise<ApiToken> {
    const row = manager.create(ApiToken, {
      ...given,
      tokenHash: hashToken(token),
      lastFour: token.slice(-4),
      createdAt: Date.now(),
      lastUsedAt: null,
      revokedAt: null,
      supersededBy: null,
    });
    return manager.save(row);
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
