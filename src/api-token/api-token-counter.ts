import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../common/time.ts';
import { statement } from '../database/statement.ts';
import { Statements } from '../database/statements.ts';

const SOON_MS = 30 * DAY_MS;

export interface ApiTokenCounts {
  /** Neither revoked nor expired. */
  active: number;
  /** Active tokens that expire within 30 days and have no successor. */
  expiringSoon: number;
}

const countTokens = statement<{ workspaceId: number; now: number; soon: number }, ApiTokenCounts>(
  'api-token.count',
  () => `
    SELECT CAST(count(*) AS integer) AS active,
      CAST(count(CASE WHEN expires_at <= CAST(:soon AS bigint) AND superseded_by IS NULL THEN 1 END)
        AS integer) AS "expiringSoon"
    FROM api_token
    WHERE workspace_id = :workspaceId AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > CAST(:now AS bigint))`,
);

@Injectable()
export class ApiTokenCounter {
  constructor(private readonly statements: Statements) {}

  /** @throws DatabaseUnavailable */
  async count(workspaceId: number): Promise<ApiTokenCounts> {
    const now = Date.now();
    const [counts] = await this.statements.read(countTokens, { workspaceId, now, soon: now + SOON_MS });
    return counts!;
  }
}
