import { Injectable } from '@nestjs/common';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';

const findUseOfKey = statement<{ keyId: string }, { id: string }>(
  'encrypted-tokens.find',
  () => `
    SELECT * FROM (SELECT key_id AS id FROM user_group_token WHERE key_id = :keyId LIMIT 1) AS t
    UNION ALL
    SELECT * FROM (SELECT key_id AS id FROM webhook_endpoint WHERE key_id = :keyId LIMIT 1) AS e
    UNION ALL
    SELECT * FROM (SELECT key_id AS id FROM target WHERE key_id = :keyId LIMIT 1) AS r
    UNION ALL
    SELECT * FROM (SELECT key_id AS id FROM bulk_job_line WHERE key_id = :keyId LIMIT 1) AS l`,
);

/** Tokens of a key that are scanned for one of the workspace. */
const LOOKED_AT = 1000;

// A range instead of an equality, so that the order has the index used however often the key seems to occur.
const findTokensOf = statement<
  { keyId: string; workspaceId: number },
  { seen: number; own: number }
>(
  'encrypted-tokens.find-of-workspace',
  () => `
    SELECT CAST(count(*) AS integer) AS seen,
      CAST(count(CASE WHEN workspace_id = :workspaceId THEN 1 END) AS integer) AS own
    FROM (
      SELECT workspace_id FROM user_group_token WHERE key_id >= :keyId AND key_id <= :keyId
      ORDER BY key_id LIMIT ${LOOKED_AT}
    ) AS t`,
);

const findKeysOfSecrets = statement<{ workspaceId: number }, { id: string }>(
  'encrypted-secrets.find-keys-of-workspace',
  () => `
    SELECT key_id AS id FROM webhook_endpoint WHERE workspace_id = :workspaceId
    UNION
    SELECT key_id AS id FROM target WHERE workspace_id = :workspaceId AND key_id IS NOT NULL
    UNION
    SELECT l.key_id AS id FROM bulk_job j JOIN bulk_job_line l ON l.job_id = j.id
    WHERE j.workspace_id = :workspaceId AND j.ended_at IS NULL`,
);

/** Counts of the user-group tokens, webhook endpoints, targets and imports that one key has encrypted. */
export interface UseOfKey {
  id: string;
  tokens: number;
  endpoints: number;
  targets: number;
  /** Parts of imports that wait. */
  imports: number;
}

/** Counts the use of each key; retired tokens have no ciphertext any more. */
export const countUse = statement<object, UseOfKey>(
  'encrypted-tokens.count',
  () => `
    SELECT id, CAST(sum(tokens) AS integer) AS tokens, CAST(sum(endpoints) AS integer) AS endpoints,
      CAST(sum(targets) AS integer) AS targets, CAST(sum(imports) AS integer) AS imports
    FROM (
      SELECT key_id AS id, count(*) AS tokens, 0 AS endpoints, 0 AS targets, 0 AS imports
      FROM user_group_token
      WHERE key_id IS NOT NULL GROUP BY key_id
      UNION ALL
      SELECT key_id AS id, 0 AS tokens, count(*) AS endpoints, 0 AS targets, 0 AS imports
      FROM webhook_endpoint GROUP BY key_id
      UNION ALL
      SELECT key_id AS id, 0 AS tokens, 0 AS endpoints, count(*) AS targets, 0 AS imports
      FROM target WHERE key_id IS NOT NULL GROUP BY key_id
      UNION ALL
      SELECT key_id AS id, 0 AS tokens, 0 AS endpoints, 0 AS targets, count(*) AS imports
      FROM bulk_job_line GROUP BY key_id
    ) AS used
    GROUP BY id ORDER BY id`,
);

/** Finds the keys of the stored user-group tokens, of the secrets of webhooks and targets, and of lines that wait. */
@Injectable()
export class EncryptedTokens {
  constructor(private readonly statements: Statements) {}

  async hasAny(keyId: string): Promise<boolean> {
    return (await this.statements.read(findUseOfKey, { keyId })).length > 0;
  }

  /**
   * Whether any token of the workspace, secret of a webhook or target, or line of an import is encrypted with one of the keys.
   * @returns null if the keys have encrypted too many tokens to find those of the workspace at once
   */
  async hasAnyOf(workspaceId: number, keyIds: readonly string[]): Promise<boolean | null> {
    if (keyIds.length === 0) return false;
    const ofSecrets = await this.statements.read(findKeysOfSecrets, { workspaceId });
    if (ofSecrets.some(({ id }) => keyIds.includes(id))) return true;
    let isCutOff = false;
    for (const keyId of keyIds) {
      const [row] = await this.statements.read(findTokensOf, { keyId, workspaceId });
      if (row!.own > 0) return true;
      isCutOff ||= row!.seen === LOOKED_AT;
    }
    return isCutOff ? null : false;
  }

  countByKey(): Promise<UseOfKey[]> {
    return this.statements.read(countUse, {});
  }
}
