import { Injectable } from '@nestjs/common';
import { ApiTokenRepository } from '../../core/api-token/api-token.repository.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { toWireTime } from '../../platform/common/time.ts';
import { UserGroupCounter } from './user-group-counts.ts';
import type { ApiTokensOverview, OverviewResponse } from './dto/overview-response.dto.ts';

@Injectable()
export class OverviewService {
  constructor(
    private readonly userGroups: UserGroupCounter,
    private readonly apiTokens: ApiTokenRepository,
  ) {}

  /** @throws DatabaseUnavailable */
  async get(caller: Caller): Promise<OverviewResponse> {
    const { workspaceId } = caller;
    const [{ value: counts, asOf }, api_tokens] = await Promise.all([
      this.userGroups.read(workspaceId),
      this.countApiTokens(caller),
    ]);
    return {
      success: 1,
      overview: {
        user_groups: {
          total: counts.groups,
          suspended: counts.inactive.suspended,
          expired: counts.inactive.expired,
          incomplete: counts.isChecked ? counts.inactive.incomplete : null,
          no_valid_token: counts.inactive.no_valid_token,
          unresolved: counts.isChecked ? counts.inactive.unresolved : null,
        },
        user_group_tokens: {
          in_overlap: counts.inOverlap,
          in_overlap_used_last_hour: counts.inOverlapUsed,
        },
        api_tokens,
        as_of: toWireTime(asOf),
      },
    };
  }

  private async countApiTokens({ workspaceId, scopes }: Caller): Promise<ApiTokensOverview | null> {
    if (!scopes.has('admin')) return null;
    const { active, expiringSoon } = await this.apiTokens.countActive(workspaceId);
    return { active, expiring_within_30_days: expiringSoon };
  }
}
