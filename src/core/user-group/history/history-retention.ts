import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../platform/common/time.ts';
import { ExpirySweep, removeOldest } from '../../../platform/database/upkeep/expiry-sweep.ts';

/** Removes replaced states of groups. */
@Injectable()
export class UserGroupHistoryRetention extends ExpirySweep {
  protected readonly removeExpired = removeOldest(
    'user_group_version',
    'replaced_at',
    'user_group_id',
    'version',
  );

  protected override expiredBefore(now: number): Promise<number> {
    const { historyRetentionDays: days } = this.config;
    return Promise.resolve(days === 0 ? 0 : now - days * DAY_MS);
  }
}

/** Removes what workspaces judged their groups by, which is kept as long. */
@Injectable()
export class WorkspaceHistoryRetention extends UserGroupHistoryRetention {
  protected override readonly removeExpired = removeOldest(
    'workspace_history',
    'replaced_at',
    'workspace_id',
    'replaced_at',
  );
}
