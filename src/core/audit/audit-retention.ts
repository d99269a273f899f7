import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../platform/common/time.ts';
import { ExpirySweep, removeOldest } from '../../platform/database/upkeep/expiry-sweep.ts';

@Injectable()
export class AuditRetention extends ExpirySweep {
  protected readonly removeExpired = removeOldest('audit_event', 'keep_until', 'id');
  /** The database rejects a whole batch if one of its rows is not yet expired by its own clock. */
  protected override readonly retentionMs = MINUTE_MS;
}
