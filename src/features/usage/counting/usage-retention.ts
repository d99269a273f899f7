import { Inject, Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../platform/common/time.ts';
import { ExpirySweep, removeOldest } from '../../../platform/database/upkeep/expiry-sweep.ts';
import { UsageSettings } from '../usage.settings.ts';

/** Removes usage that is older than the setting says. */
@Injectable()
export class UsageRetention extends ExpirySweep {
  @Inject() private readonly settings!: UsageSettings;
  protected readonly removeExpired = removeOldest(
    'usage_count',
    'end_at',
    'workspace_id',
    'user_group_id',
    'unit',
    'start_at',
  );

  protected override expiredBefore(now: number): Promise<number> {
    return Promise.resolve(now - this.settings.usageRetentionDays * DAY_MS);
  }
}

/** Removes hashes of users when no batch can name a user of their day or month any more. */
@Injectable()
export class UsageUserExpiry extends ExpirySweep {
  protected readonly removeExpired = removeOldest(
    'usage_user',
    'end_at',
    'workspace_id',
    'user_group_id',
    'unit',
    'start_at',
    'user_hash',
  );
  protected override readonly retentionMs = 3 * DAY_MS;
}

/** Removes what was told about days and months that are over, when no batch can add to them any more. */
@Injectable()
export class UsageNoticeExpiry extends ExpirySweep {
  protected readonly removeExpired = removeOldest(
    'usage_notice',
    'end_at',
    'user_group_id',
    'limit_name',
    'start_at',
    'limit_value',
    'level',
  );
  protected override readonly retentionMs = 3 * DAY_MS;
}

/** Removes batches that nobody can send again. */
@Injectable()
export class UsageBatchExpiry extends ExpirySweep {
  protected readonly removeExpired = removeOldest(
    'usage_batch',
    'expires_at',
    'workspace_id',
    'batch_id',
  );
}
