import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { statement, Statements } from '../database/statement';
import type { EncryptedToken } from '../encryption-key/token-cipher';
import type { UserGroupToken } from './user-group-token.entity';

/** The generation that a rotation has just retired, with its group. */
export interface RetiredToken {
  userGroupId: number;
  generation: number;
  name: string;
  providedId: string;
}

interface Retirement {
  workspaceId: number;
  /** Milliseconds since 1970 until which it can still be introspected; null ends it at once. */
  validUntil: number | null;
  /** The API token that rotates; null for the command line. */
  retiredBy: number | null;
}

/** What embed tokens say of their workspace. */
export interface EmbeddingWorkspace {
  publicId: string;
  /** Null for `EMBED_TOKEN_ISSUER`. */
  embedTokenIssuer: string | null;
}

/** The current token of a group, for whoever has no need of the token itself. */
export interface CurrentToken extends EmbeddingWorkspace {
  userGroupId: number;
  generation: number;
  /** Since when the group is suspended; null if it is not. */
  suspendedAt: number | null;
  /** JSON text of the audiences that embed tokens may be issued for; empty for any. */
  embedTokenAudiences: string;
}

/** A generation as an operator may see it, with what decides whether it is refused. */
export type TokenGeneration = Pick<
  UserGroupToken,
  | 'generation'
  | 'lastFour'
  | 'createdAt'
  | 'retiredAt'
  | 'retiredBy'
  | 'validUntil'
  | 'revokedAt'
  | 'revokedBy'
  | 'lastIntrospectedAt'
> & {
  /** When the generation after it was replaced, which ended its overlap; null if it was not. */
  successorRetiredAt: number | null;
  groupSuspendedAt: number | null;
};

interface GenerationFilters {
  userGroupId: number;
  /** Generations below this one. */
  before: number;
  limit: number;
  /** Null: any. */
  generation: number | null;
  /** Null: any. */
  lastFour: string | null;
}

/** Of the retired generations only the latest can have an overlap with the current one. */
const IS_PREDECESSOR = `EXISTS (
  SELECT 1 FROM user_group_token c
  WHERE c.user_group_id = t.user_group_id AND c.generation = t.generation + 1 AND c.retired_at IS NULL)`;

const insertToken = statement<{
  workspaceId: number;
  userGroupId: number;
  generation: number;
  hash: Buffer;
  lastFour: string;
  ciphertext: Buffer;
  keyId: string;
  now: number;
}>(
  'user-group-token.insert',
  () => `
    INSERT INTO user_group_token
      (workspace_id, user_group_id, generation, token_hash, last_four, ciphertext, key_id,
        created_at)
    VALUES (:workspaceId, :userGroupId, :generation, :hash, :lastFour, :ciphertext, :keyId, :now)`,
);

const findOwner = statement<{ workspaceId: number; hash: Buffer }, { userGroupId: number }>(
  'user-group-token.find-owner',
  () => `
    SELECT user_group_id AS "userGroupId" FROM user_group_token
    WHERE token_hash = :hash AND workspace_id = :workspaceId`,
);

const retireToken = (which: string) => `
  UPDATE user_group_token
  SET retired_at = :now, retired_by = :retiredBy, valid_until = :validUntil,
    ciphertext = NULL, key_id = NULL
  WHERE ${which} AND workspace_id = :workspaceId AND retired_at IS NULL
  RETURNING user_group_id AS "userGroupId", generation,
    (SELECT name FROM user_group WHERE id = user_group_id) AS name,
    (SELECT provided_id FROM user_group WHERE id = user_group_id) AS "providedId"`;

const retireByHash = statement<Retirement & { hash: Buffer; now: number }, RetiredToken>(
  'user-group-token.retire-by-hash',
  () => retireToken('token_hash = :hash'),
);

const retireCurrent = statement<Retirement & { userGroupId: number; now: number }, RetiredToken>(
  'user-group-token.retire-current',
  () => retireToken('user_group_id = :userGroupId'),
);

const lockCurrent = statement<{ userGroupId: number }, { generation: number }>(
  'user-group-token.lock-current',
  ({ lockRows }) => `
    SELECT t.generation FROM user_group_token t
    WHERE t.user_group_id = :userGroupId AND t.retired_at IS NULL ${lockRows('t')}`,
);

const lockAll = statement<{ userGroupId: number }, { generation: number }>(
  'user-group-token.lock-all',
  ({ lockRows }) => `
    SELECT t.generation FROM user_group_token t
    WHERE t.user_group_id = :userGroupId ORDER BY t.generation ${lockRows('t')}`,
);

const endOverlap = statement<
  { userGroupId: number; generation: number; revokedBy: number | null; now: number },
  { generation: number }
>(
  'user-group-token.end-overlap',
  () => `
    UPDATE user_group_token AS t SET valid_until = :now, revoked_at = :now, revoked_by = :revokedBy
    WHERE t.user_group_id = :userGroupId AND t.generation = :generation AND t.valid_until > :now
      AND ${IS_PREDECESSOR}
    RETURNING generation`,
);

const listGenerations = statement<GenerationFilters, TokenGeneration>(
  'user-group-token.list',
  () => `
    SELECT t.generation, t.last_four AS "lastFour", t.created_at AS "createdAt",
      t.retired_at AS "retiredAt", t.retired_by AS "retiredBy", t.valid_until AS "validUntil",
      t.revoked_at AS "revokedAt", t.revoked_by AS "revokedBy",
      t.last_introspected_at AS "lastIntrospectedAt",
      s.retired_at AS "successorRetiredAt", g.suspended_at AS "groupSuspendedAt"
    FROM user_group_token t
    JOIN user_group g ON g.id = t.user_group_id
    LEFT JOIN user_group_token s ON s.user_group_id = t.user_group_id
      AND s.generation = t.generation + 1
    WHERE t.user_group_id = :userGroupId AND t.generation < CAST(:before AS bigint)
      AND (CAST(:generation AS integer) IS NULL OR t.generation = :generation)
      AND (CAST(:lastFour AS text) IS NULL OR t.last_four = :lastFour)
    ORDER BY t.generation DESC LIMIT :limit`,
);

const findCurrent = statement<{ workspaceId: number; providedId: string }, CurrentToken>(
  'user-group-token.find-current',
  () => `
    SELECT g.id AS "userGroupId", t.generation, g.suspended_at AS "suspendedAt",
      w.public_id AS "publicId", w.embed_token_issuer AS "embedTokenIssuer",
      w.embed_token_audiences AS "embedTokenAudiences"
    FROM user_group g
    JOIN workspace w ON w.id = g.workspace_id
    JOIN user_group_token t ON t.user_group_id = g.id AND t.retired_at IS NULL
    WHERE g.workspace_id = :workspaceId AND g.provided_id = :providedId`,
);

/** The queries of tokens; each names the workspace, or a group's id from a query that did. */
@Injectable()
export class UserGroupTokenRepository {
  constructor(private readonly statements: Statements) {}

  async insert(
    manager: EntityManager,
    token: EncryptedToken & {
      workspaceId: number;
      userGroupId: number;
      generation: number;
      hash: Buffer;
      lastFour: string;
    },
  ): Promise<void> {
    await this.statements.run(manager, insertToken, { ...token, now: Date.now() });
  }

  /** Whether this is the hash of a token of any group of the workspace, current or not. */
  async isKnown(
    manager: EntityManager,
    token: { workspaceId: number; hash: Buffer },
  ): Promise<boolean> {
    return (await this.statements.run(manager, findOwner, token)).length > 0;
  }

  /**
   * Retires the current token with this hash, and erases its ciphertext. Of several transactions
   * that try, one gets it and the others, once it has committed, get undefined.
   */
  async retireByHash(
    manager: EntityManager,
    token: Retirement & { hash: Buffer },
  ): Promise<RetiredToken | undefined> {
    return (await this.statements.run(manager, retireByHash, { ...token, now: Date.now() }))[0];
  }

  /** Retires the current token of a group that `manager` has locked. */
  async retireCurrent(
    manager: EntityManager,
    token: Retirement & { userGroupId: number },
  ): Promise<RetiredToken | undefined> {
    return (await this.statements.run(manager, retireCurrent, { ...token, now: Date.now() }))[0];
  }

  /** Locks every token that a group has had, in the order in which others lock several. */
  async lockAll(manager: EntityManager, userGroupId: number): Promise<void> {
    await this.statements.run(manager, lockAll, { userGroupId });
  }

  /** Locks the current token of a group against rotations; false if a rotation was faster. */
  async lockCurrent(manager: EntityManager, userGroupId: number): Promise<boolean> {
    return (await this.statements.run(manager, lockCurrent, { userGroupId })).length > 0;
  }

  /** Ends the overlap of a retired generation now; false if it was over. */
  async endOverlap(
    manager: EntityManager,
    token: { userGroupId: number; generation: number; revokedBy: number | null },
  ): Promise<boolean> {
    const ended = await this.statements.run(manager, endOverlap, { ...token, now: Date.now() });
    return ended.length > 0;
  }

  /** The generations that match, the newest first. */
  async list(filters: GenerationFilters): Promise<TokenGeneration[]> {
    return this.statements.read(listGenerations, filters);
  }

  /** Which token of the group is current; undefined if the workspace has no such group. */
  async findCurrent(group: {
    workspaceId: number;
    providedId: string;
  }): Promise<CurrentToken | undefined> {
    return (await this.statements.read(findCurrent, group))[0];
  }

  /** One generation; undefined if the group has none of this number. */
  async find(userGroupId: number, generation: number): Promise<TokenGeneration | undefined> {
    const page = { before: Number.MAX_SAFE_INTEGER, limit: 1 };
    return (await this.list({ userGroupId, generation, lastFour: null, ...page }))[0];
  }
}
