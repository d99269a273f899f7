import { Injectable } from '@nestjs/common';
import { unnamedStatement } from '../../platform/database/statement.ts';
import { ExpirySweep, type RemoveExpired } from '../../platform/database/upkeep/expiry-sweep.ts';

/** Plans that a statement removes, each with up to 2,000 changes. */
const AT_ONCE = 10;

/** Removes plans that have expired. */
@Injectable()
export class PlanRetention extends ExpirySweep {
  protected readonly removeExpired: RemoveExpired = unnamedStatement(
    ({ isAmong }) => `
      DELETE FROM user_group_plan WHERE ${isAmong(
        'id',
        `SELECT p.id FROM user_group_plan p WHERE p.expires_at < CAST(:now AS bigint)
         ORDER BY p.expires_at LIMIT ${AT_ONCE}`,
      )}
      RETURNING id`,
  );
}
