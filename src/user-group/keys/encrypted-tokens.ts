import { Injectable } from '@nestjs/common';
import { statement, Statements } from '../../database/statement';

const findTokenOfKey = statement<{ keyId: string }, { generation: number }>(
  'encrypted-tokens.find',
  () => 'SELECT generation FROM user_group_token WHERE key_id = :keyId LIMIT 1',
);

/** Counts the tokens that each key has encrypted; retired ones have no ciphertext any more. */
export const countTokens = statement<object, { id: string; tokens: number }>(
  'encrypted-tokens.count',
  () => `
    SELECT key_id AS id, CAST(count(*) AS integer) AS tokens FROM user_group_token
    WHERE key_id IS NOT NULL GROUP BY key_id ORDER BY key_id`,
);

/** Finds which keys the stored user-group tokens are encrypted with. */
@Injectable()
export class EncryptedTokens {
  constructor(private readonly statements: Statements) {}

  /** Whether any token is encrypted with the key. */
  async hasAny(keyId: string): Promise<boolean> {
    return (await this.statements.read(findTokenOfKey, { keyId })).length > 0;
  }

  /** Counts the tokens of each key that has encrypted any. */
  countByKey(): Promise<{ id: string; tokens: number }[]> {
    return this.statements.read(countTokens, {});
  }
}
