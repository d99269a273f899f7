import { Injectable } from '@nestjs/common';
import { ExpirySweep, removeOldest } from '../../platform/database/upkeep/expiry-sweep.ts';

/** Removes reservations that have ended: no statement finds them any more. */
@Injectable()
export class ReservedIdExpiry extends ExpirySweep {
  protected readonly removeExpired = removeOldest(
    'reserved_id',
    'reserved_until',
    'workspace_id',
    'provided_id',
  );
}
