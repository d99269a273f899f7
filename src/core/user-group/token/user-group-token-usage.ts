import { Injectable } from '@nestjs/common';
import { LastUse, type SetLastUse } from '../../../platform/database/upkeep/last-use.ts';
import { statement } from '../../../platform/database/statement.ts';

const setLastIntrospected: SetLastUse = statement(
  'user-group-token.set-last-introspected',
  () => `
    UPDATE user_group_token SET last_introspected_at = :at
    WHERE user_group_id = :id AND generation = :subId
      AND (last_introspected_at IS NULL OR last_introspected_at < :before)`,
);

@Injectable()
export class UserGroupTokenUsage extends LastUse {
  protected readonly setLastUse = setLastIntrospected;
}
