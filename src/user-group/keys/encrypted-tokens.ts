import { Injectable } from '@nestjs/common';
import { statement, Statements } from '../../database/statement.ts';

const findUseOfKey = statement<{ keyId: string }, { id: string }>(
  'encrypted-tokens.find',
  () => `
    SELECT * FROM (SELECT key_id AS id FROM user_group_token WHERE key_id = :keyId LIMIT 1) AS t
    UNION ALL
    SELECT * FROM (SELECT key_id AS id FROM webhook_endpoint WHERE key_id = :keyId LIMIT 1) AS e`,
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

  /** Counts the tokens of each key that has encrypted any. */
  countByKey(): Promise<{ id: string; tokens: number }[]> {
    return this.statements.read(countTokens, {});
  }

  /** Counts the webhook endpoints of each key that has encrypted the secrets of any. */
  countEndpointsByKey(): Promise<{ id: string; endpoints: number }[]> {
    return this.statements.read(countEndpoints, {});
  }
}
