import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { UserGroupNotFound } from '../group/user-group.errors.ts';
import { limitOf, positionOf, toPage } from '../../../platform/common/http/parameters/page.dto.ts';
import { type UserGroupTokensResponse, toTokenView } from './dto/tokens-response.dto.ts';
import type { TokensQueryDto } from './dto/tokens-query.dto.ts';
import { UserGroupSnapshots } from '../snapshot/user-group-snapshots.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import { UserGroupRepository } from '../group/user-group.repository.ts';

/** Lists the past and current tokens of a group, without the tokens themselves. */
@Injectable()
export class UserGroupTokenList {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly snapshots: UserGroupSnapshots,
  ) {}

  /**
   * Lists one page of the group's matching tokens, newest first, with their times and the reason why each is refused.
   * @throws UserGroupNotFound
   */
  async list(
    { workspaceId }: Caller,
    providedId: string,
    query: TokensQueryDto,
  ): Promise<UserGroupTokensResponse> {
    const group = await this.userGroups.find(workspaceId, providedId);
    if (!group) throw new UserGroupNotFound();
    const key = { workspaceId, userGroupId: group.id };
    const snapshot = await this.snapshots.find(key, { isFresh: true });
    // The whole group may have been deleted meanwhile.
    if (!snapshot) throw new UserGroupNotFound();
    const limit = limitOf(query);
    const [before = Number.MAX_SAFE_INTEGER] = positionOf(query, 1) ?? [];
    const generations = await this.tokens.list({
      workspaceId,
      userGroupId: group.id,
      before,
      limit: limit + 1,
      generation: query.generation === undefined ? null : Number(query.generation),
      lastFour: query.last_four ?? null,
    });
    const { rows, ...next } = toPage(generations, limit, ({ generation }) => [generation]);
    return { success: 1, tokens: rows.map((token) => toTokenView(token, snapshot)), ...next };
  }
}
