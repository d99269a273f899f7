import { Injectable } from '@nestjs/common';
import { LastUse, type SetLastUse } from '../../../platform/database/upkeep/last-use.ts';
import { statement } from '../../../platform/database/statement.ts';

const setLastUsed: SetLastUse = statement(
  'api-token.set-last-used',
  () => `
    UPDATE api_token SET last_used_at = :at
    WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :before)`,
);

@Injectable()
export class ApiTokenUsage extends LastUse {
  protected readonly setLastUse = setLastUsed;
}
