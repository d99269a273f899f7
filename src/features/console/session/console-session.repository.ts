import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SharedReads } from '../../../platform/database/waves/shared-reads.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { ConsoleSession } from './console-session.entity.ts';

/** A session with the current state of its API token and its workspace. */
export interface StoredSession extends Omit<ConsoleSession, 'secretHash'> {
  workspaceName: string;
  /** The following fields are those of its API token. */
  scopes: string;
  tokenName: string;
  subject: string | null;
  firstTokenId: number | null;
  allowedCidrs: string | null;
  userGroups: string | null;
  tokenExpiresAt: number | null;
  tokenRevokedAt: number | null;
}

export type RemovedSession = Pick<StoredSession, 'id' | 'lastUsedAt' | 'expiresAt'>;

export type NewSession = Omit<ConsoleSession, 'createdAt' | 'lastUsedAt'> & { at: number };

export interface Owner {
  workspaceId: number;
  apiTokenId: number | null;
  /** 1 if it sees the sessions of others, too; 0 for a token that was rotated, in its overlap. */
  seesAll: 0 | 1;
}

/** One lane for all browsers, because the owner of a session is known only afterwards. */
const EVERYBODY = 0;

const select = (condition: string, columns = '') => `
  SELECT ${columns} s.id, s.workspace_id AS "workspaceId", w.name AS "workspaceName",
    s.api_token_id AS "apiTokenId", s.created_at AS "createdAt",
    s.last_used_at AS "lastUsedAt", s.expires_at AS "expiresAt", s.address,
    s.user_agent AS "userAgent", t.scopes, t.name AS "tokenName", t.subject, t.first_token_id AS "firstTokenId", t.allowed_cidrs AS "allowedCidrs", t.user_groups AS "userGroups",
    t.expires_at AS "tokenExpiresAt", t.revoked_at AS "tokenRevokedAt"
  FROM console_session AS s
  JOIN workspace AS w ON w.id = s.workspace_id
  JOIN api_token AS t ON t.id = s.api_token_id AND t.workspace_id = s.workspace_id
  WHERE ${condition}`;

const isOfOwner = (alias: string) => `${alias}.workspace_id = :workspaceId
  AND (${alias}.api_token_id = CAST(:apiTokenId AS integer) OR (CAST(:seesAll AS integer) = 1
    AND NOT EXISTS (SELECT 1 FROM api_token AS own
      WHERE own.id = CAST(:apiTokenId AS integer) AND own.superseded_by IS NOT NULL)))`;

const findBySecrets = statement<{ hashes: readonly string[] }, StoredSession & { hash: string }>(
  'console-session.find-by-secrets',
  (dialect) =>
    dialect.forEachKey(':hashes', (key) =>
      select(
        key.is('s.secret_hash', dialect.fromHex),
        `${dialect.toHex('s.secret_hash')} AS hash,`,
      ),
    ),
);

const findEach = statement<{ ids: readonly number[] }, StoredSession>(
  'console-session.find-each',
  ({ isOneOf }) => select(isOneOf('s.id', ':ids', 'bigint')),
);

const list = statement<Owner & { usedAfter: number; now: number; limit: number }, StoredSession>(
  'console-session.list',
  () => `
    ${select(`${isOfOwner('s')} AND s.last_used_at > :usedAfter AND s.expires_at > :now
      AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > :now)`)}
    ORDER BY s.last_used_at DESC, s.id LIMIT :limit`,
);

const insert = statement<{ [K in keyof NewSession]: NewSession[K] }>(
  'console-session.insert',
  () => `
    INSERT INTO console_session (id, workspace_id, secret_hash, api_token_id, created_at,
      last_used_at, expires_at, address, user_agent)
    VALUES (:id, :workspaceId, :secretHash, :apiTokenId, :at, :at, :expiresAt, :address, :userAgent)`,
);

const setLastUsed = statement<{ id: number; at: number; before: number }>(
  'console-session.set-last-used',
  () => `
    UPDATE console_session SET last_used_at = :at
    WHERE id = :id AND last_used_at < CAST(:before AS bigint)`,
);

const remove = statement<Owner & { id: number }, { id: number }>(
  'console-session.remove',
  () => `
    DELETE FROM console_session AS s WHERE s.id = :id AND ${isOfOwner('s')}
    RETURNING id`,
);

const removeBeyond = statement<
  { workspaceId: number; apiTokenId: number; keep: number; limit: number },
  RemovedSession
>(
  'console-session.remove-beyond',
  ({ isAmong }) => `
    DELETE FROM console_session
    WHERE workspace_id = :workspaceId AND ${isAmong(
      'id',
      `SELECT id FROM console_session WHERE api_token_id = :apiTokenId
       ORDER BY last_used_at DESC, id LIMIT :limit OFFSET :keep`,
    )}
    RETURNING id, last_used_at AS "lastUsedAt", expires_at AS "expiresAt"`,
);

/** Queries sessions. Each read sees the commits of every process. */
@Injectable()
export class ConsoleSessionRepository {
  private readonly bySecret = new SharedReads<StoredSession>(async (_everybody, hashes) => {
    const rows = await this.statements.read(findBySecrets, { hashes });
    return new Map(rows.map(({ hash, ...session }) => [hash, session]));
  });

  constructor(private readonly statements: Statements) {}

  /** Finds the session of a secret, in any workspace. Calls share statements. */
  findBySecret(secretHash: Buffer): Promise<StoredSession | undefined> {
    return this.bySecret.read(EVERYBODY, secretHash.toString('hex'));
  }

  /** Returns those of the sessions that still exist, of any workspace. */
  findEach(ids: readonly number[]): Promise<StoredSession[]> {
    return this.statements.read(findEach, { ids });
  }

  list(
    options: Owner & { usedAfter: number; now: number; limit: number },
  ): Promise<StoredSession[]> {
    return this.statements.read(list, options);
  }

  async insert(manager: EntityManager, session: NewSession): Promise<void> {
    await this.statements.run(manager, insert, { ...session });
  }

  /** @param before leaves a later use as it is */
  async setLastUsed(manager: EntityManager, use: { id: number; at: number; before: number }) {
    await this.statements.run(manager, setLastUsed, use);
  }

  /** Removes a session; returns false if the owner has none of this id. */
  async remove(manager: EntityManager, session: Owner & { id: number }): Promise<boolean> {
    return (await this.statements.run(manager, remove, session)).length > 0;
  }

  /**
   * Removes the sessions of an API token except the `keep` most recently used.
   * @returns the removed ones, including any that had ended
   */
  removeBeyond(
    manager: EntityManager,
    owner: { workspaceId: number; apiTokenId: number; keep: number; limit: number },
  ): Promise<RemovedSession[]> {
    return this.statements.run(manager, removeBeyond, owner);
  }
}
