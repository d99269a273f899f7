import { Injectable } from '@nestjs/common';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';

const findUseOfKey = statement<{ keyId: string }, { id: string }>(
  'encrypted-tokens.find',
  () => `
    SELECT * FROM (SELECT key_id AS id FROM user_group_token WHERE key_id = :keyId LIMIT 1) AS t
    UNION ALL
    SELECT * FROM (SELECT key_id AS id FROM webhook_endpoint WHERE key_id = :keyId LIMIT 1) AS e`,
);

/** So many tokens of a key are looked at for one of a workspace. */
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

const findKeysOfEndpoints = statement<{ workspaceId: number }, { id: string }>(
  'encrypted-endpoints.find-keys-of-workspace',
  () => 'SELECT DISTINCT key_id AS id FROM webhook_endpoint WHERE workspace_id = :workspaceId',
);

/** Counts the tokens that each key has encrypted; retired ones have no ciphertext any more. */
export const countTokens = statement<object, { id: string; tokens: number }>(
  'encrypted-tokens.count',
  () => `
    SELECT key_id AS id, CAST(count(*) AS integer) AS tokens FROM user_group_token
    WHERE key_id IS NOT NULL GROUP BY key_id ORDER BY key_id`,
);

/** Counts the webhook endpoints whose secrets each key has encrypted. */
export const countEndpoints = statement<object, { id: string; endpoints: number }>(
  'encrypted-endpoints.count',
  () => `
    SELECT key_id AS id, CAST(count(*) AS integer) AS endpoints FROM webhook_endpoint
    GROUP BY key_id ORDER BY key_id`,
);

/** Finds which keys the stored user-group tokens, and the secrets of webhooks, are encrypted with. */
@Injectable()
export class EncryptedTokens {
  constructor(private readonly statements: Statements) {}

  /** Whether anything is encrypted with the key. */
  async hasAny(keyId: string): Promise<boolean> {
    return (await this.statements.read(findUseOfKey, { keyId })).length > 0;
  }

  /**
   * Whether any token of the workspace, or secret of a webhook, is encrypted with one of the keys.
   * @returns null if the keys have encrypted so many tokens that those of the workspace are not found at once
   */
  async hasAnyOf(workspaceId: number, keyIds: readonly string[]): Promise<boolean | null> {
    if (keyIds.length === 0) return false;
    const ofEndpoints = await this.statements.read(findKeysOfEndpoints, { workspaceId });
    if (ofEndpoints.some(({ id }) => keyIds.includes(id))) return true;
    let isCutOff = false;
    for (const keyId of keyIds) {
      const [row] = await this.statements.read(findTokensOf, { keyId, workspaceId });
      if (row!.own > 0) return true;
      isCutOff ||= row!.seen === LOOKED_AT;
    }
    return isCutOff ? null : false;
  }

  /** Counts the tokens of each key that has encrypted any. */
  countByKey(): Promise<{ id: string; tokens: number }[]> {
    return this.statements.read(countTokens, {});
  }

  /** Counts the webhook endpoints of each key that has encrypted the secrets of any. */
  countEndpointsByKey(): Promise<{ id: string; endpoints: number }[]> {
    return this.statements.read(countEndpoints, {});
  }
}
