import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { currentTime } from '../../../platform/common/time.ts';
import { toBytesText } from '../../../platform/database/dialect.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';

interface Hashes {
  workspaceId: number;
  hashes: readonly string[];
}

/** Keeps the end of a former token, and the last issue of one that was imported again. */
export const KEEP_FORMER_TOKEN = `
  ON CONFLICT (workspace_id, token_hash) DO UPDATE SET epoch = excluded.epoch,
    created_at = excluded.created_at, ended_at = coalesce(former_token.ended_at, excluded.ended_at)`;

const findFormer = statement<Hashes, { hash: string }>(
  'user-group-token.find-former',
  ({ isOneOf, toHex }) => `
    SELECT ${toHex('p.token_hash')} AS hash FROM former_token p
    WHERE p.workspace_id = :workspaceId AND ${isOneOf('p.token_hash', ':hashes', 'bytes')}`,
);

const endFormer = statement<Hashes & { now: number }>(
  'user-group-token.end-former',
  ({ isAmong, isOneOf, lockRows }) => `
    UPDATE former_token SET ended_at = CAST(:now AS bigint)
    WHERE workspace_id = :workspaceId AND ${isAmong(
      'token_hash',
      `SELECT p.token_hash FROM former_token p
       WHERE p.workspace_id = :workspaceId AND ${isOneOf('p.token_hash', ':hashes', 'bytes')} AND p.ended_at IS NULL
       ORDER BY p.token_hash ${lockRows('p', 'UPDATE')}`,
    )}`,
);

const insertEnded = statement<Hashes & { now: number }>(
  'user-group-token.insert-ended',
  ({ isOneOf }) => `
    INSERT INTO former_token (workspace_id, token_hash, epoch, created_at, ended_at)
    SELECT workspace_id, token_hash, epoch, created_at, CAST(:now AS bigint) FROM user_group_token
    WHERE workspace_id = :workspaceId AND ${isOneOf('token_hash', ':hashes', 'bytes')}
    ORDER BY token_hash ${KEEP_FORMER_TOKEN}`,
);

/** Remembers the tokens of deleted groups, and those that somebody has ended on purpose. */
@Injectable()
export class FormerTokens {
  constructor(private readonly statements: Statements) {}

  /**
   * Finds the tokens with these hashes that groups of the workspace have had, or that somebody has ended on purpose.
   * @returns their hashes in hexadecimal
   */
  async find(workspaceId: number, hashes: readonly Buffer[]): Promise<Set<string>> {
    const parameters = { workspaceId, hashes: hashes.map(toBytesText) };
    const rows = await this.statements.read(findFormer, parameters);
    return new Set(rows.map(({ hash }) => hash));
  }

  /** Ends tokens that the workspace has had: no group of it can ever have them again, whatever becomes of their groups. */
  async end(manager: EntityManager, workspaceId: number, hashes: readonly Buffer[]): Promise<void> {
    const parameters = { workspaceId, hashes: hashes.map(toBytesText), now: currentTime() };
    // In this order: a group that is deleted between the two has left its token to the second.
    await this.statements.run(manager, insertEnded, parameters);
    await this.statements.run(manager, endFormer, parameters);
  }
}
