import { Injectable } from '@nestjs/common';
import { BETWEEN_WRITES_MS, LastUse, type SetLastUse } from '../../database/upkeep/last-use.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';

const setLastIntrospected: SetLastUse = statement(
  'user-group-token.set-last-introspected',
  () => `
    UPDATE user_group_token SET last_introspected_at = :at
    WHERE user_group_id = :id AND generation = :subId
      AND (last_introspected_at IS NULL OR last_introspected_at < CAST(:at AS bigint) - ${BETWEEN_WRITES_MS})`,
);

/** When each generation of a user group's token was last introspected. */
@Injectable()
export class UserGroupTokenUsage extends LastUse {
  constructor(transactor: Transactor, statements: Statements) {
    super(transactor, statements, setLastIntrospected);
  }
}
