import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/caller.ts';
import { UserGroupNotFound } from '../../common/errors.ts';
import { limitOf, positionOf, toPage } from '../../common/http/page.dto.ts';
import { type TokensAnswer, toTokenView } from './dto/tokens-answer.dto.ts';
import type { TokensQueryDto } from './dto/tokens-query.dto.ts';
import { UserGroupSnapshots } from '../snapshot/user-group-snapshots.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import { UserGroupRepository } from '../group/user-group.repository.ts';

/** Lists the tokens that a group has and had, without the tokens themselves. */
@Injectable()
export class UserGroupTokenList {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly snapshots: UserGroupSnapshots,
  ) {}

  /**
   * One page of the group's tokens that match the query, newest first: when each was issued, replaced
   * and last introspected, and why it is refused.
   * @throws UserGroupNotFound
   */
  async list(
    { workspaceId }: Caller,
    providedId: string,
    query: TokensQueryDto,
  ): Promise<TokensAnswer> {
    const group = await this.userGroups.find({ workspaceId, providedId }, false);
    if (!group) throw new UserGroupNotFound();
    const key = { workspaceId, userGroupId: group.id };
    const isComplete = (await this.snapshots.find(key, { isFresh: true }))?.isComplete ?? true;
    const limit = limitOf(query);
    const [before = Number.MAX_SAFE_INTEGER] = positionOf(query, 1) ?? [];
    const generations = await this.tokens.list({
      userGroupId: group.id,
      before,
      limit: limit + 1,
      generation: query.generation === undefined ? null : Number(query.generation),
      lastFour: query.last_four ?? null,
    });
    const { rows, nextCursor } = toPage(generations, limit, ({ generation }) => [generation]);
    return {
      success: 1,
      tokens: rows.map((token) => toTokenView(token, isComplete)),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }
}
