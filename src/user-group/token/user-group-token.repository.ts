import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Dialect, toBytesText } from '../../database/dialect.ts';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import type { EncryptedToken } from '../../encryption-key/user-group-token-cipher.ts';
import type { UserGroupToken } from '../entities/user-group-token.entity.ts';

/** The generation that was just retired, with its group. */
export interface RetiredToken {
  userGroupId: number;
  generation: number;
  name: string;
  providedId: string;
  /** As the retirement has named it. */
  named: TokenName;
}

/** Which token is to be retired: the current one of a group, or the one with this hash if it is current. */
export type TokenName = { hash: Buffer } | { providedId: string };

export interface Retirement {
  token: TokenName;
  /** Milliseconds since 1970 until which it can still be introspected; null ends it at once. */
  validUntil: number | null;
  /** The API token that rotates; null for the command line. */
  retiredBy: number | null;
}

/** A generation to be stored. */
export interface NewToken extends EncryptedToken {
  userGroupId: number;
  generation: number;
  hash: Buffer;
  lastFour: string;
}

/** What embed tokens say of their workspace. */
export interface EmbeddingWorkspace {
  publicId: string;
  /** Null for `EMBED_TOKEN_ISSUER`. */
  embedTokenIssuer: string | null;
}

/** The current token of a group, without the token itself. */
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

const TOKEN = {
  user_group_id: 'integer',
  generation: 'integer',
  token_hash: 'bytes',
  last_four: 'text',
  ciphertext: 'bytes',
  key_id: 'text',
} as const;

const insertTokens = statement<{ workspaceId: number; tokens: readonly object[]; now: number }>(
  'user-group-token.insert',
  ({ recordsOf, lockingOrder }) => {
    const columns = Object.keys(TOKEN).join(', ');
    return `
      INSERT INTO user_group_token (workspace_id, created_at, ${columns})
      SELECT CAST(:workspaceId AS integer), CAST(:now AS bigint), ${columns}
      FROM ${recordsOf(':tokens', TOKEN)}
      WHERE true ${lockingOrder('token_hash')}`;
  },
);

const findKnown = statement<{ workspaceId: number; hashes: readonly string[] }, { hash: Buffer }>(
  'user-group-token.find-known',
  ({ isOneOf }) => `
    SELECT token_hash AS hash FROM user_group_token
    WHERE workspace_id = :workspaceId AND ${isOneOf('token_hash', ':hashes', 'bytes')}`,
);

/** No condition that the index of current tokens answers: PostgreSQL would read all of it. */
const findCurrentAmong = statement<
  { workspaceId: number; hashes: readonly string[] },
  { hash: Buffer }
>(
  'user-group-token.find-current-among',
  ({ isOneOf }) => `
    SELECT token_hash AS hash FROM user_group_token
    WHERE workspace_id = :workspaceId AND ${isOneOf('token_hash', ':hashes', 'bytes')}
      AND (retired_at IS NULL) = true`,
);

type Naming = 'hash' | 'group';

/**
 * Where a token is found by its name, the column that the name is compared with, and its type. Each
 * begins with the table that has an index for the name: SQLite would begin with the workspace. With a
 * hash PostgreSQL is not asked for current tokens: it would read all of them beside the few.
 */
const NAMES = {
  hash: {
    from: 'user_group_token t',
    ofWorkspace: 't.workspace_id = :workspaceId',
    column: 't.token_hash',
    type: 'bytes',
  },
  group: {
    from: 'user_group g JOIN user_group_token t ON t.user_group_id = g.id',
    ofWorkspace: 'g.workspace_id = :workspaceId AND t.retired_at IS NULL',
    column: 'g.provided_id',
    type: 'text',
  },
} as const;

type RetiredRow = Omit<RetiredToken, 'named'> & { hash: Buffer };

interface RetirementParameters {
  workspaceId: number;
  retirements: readonly object[];
  /** What they name: hashes, or ids of groups. */
  named: readonly string[];
  now: number;
}

/**
 * Each record is read once: SQLite keeps to the order of a cross join, and would read all of them
 * again for each token.
 * @param waits else tokens that another transaction has locked are left out
 */
const retireTokens = (naming: Naming, waits: boolean) => (dialect: Dialect) => {
  const { from, ofWorkspace, column, type } = NAMES[naming];
  return `
  WITH mine AS MATERIALIZED (
    SELECT t.user_group_id AS group_id, t.generation AS old_generation, r.by_api_token, r.until
    FROM ${dialect.recordsOf(':retirements', { named: type, by_api_token: 'integer', until: 'bigint' })}
    CROSS JOIN ${from}
    WHERE r.named = ${column} AND ${ofWorkspace} AND ${dialect.isOneOf(column, ':named', type)}
    ${waits ? '' : dialect.lockFreeRows('t')}
  )
  UPDATE user_group_token SET retired_at = :now, retired_by = mine.by_api_token,
    valid_until = mine.until, ciphertext = NULL, key_id = NULL
  FROM mine
  WHERE user_group_id = mine.group_id AND generation = mine.old_generation AND retired_at IS NULL
  RETURNING user_group_id AS "userGroupId", generation, token_hash AS hash,
    (SELECT name FROM user_group WHERE id = user_group_id) AS name,
    (SELECT provided_id FROM user_group WHERE id = user_group_id) AS "providedId"`;
};

const retireStatement = (name: string, naming: Naming, waits: boolean) =>
  statement<RetirementParameters, RetiredRow>(
    `user-group-token.${name}`,
    retireTokens(naming, waits),
  );

const retire = {
  hash: {
    waiting: retireStatement('retire-by-hash', 'hash', true),
    free: retireStatement('retire-free-by-hash', 'hash', false),
  },
  group: {
    waiting: retireStatement('retire-by-group', 'group', true),
    free: retireStatement('retire-free-by-group', 'group', false),
  },
};

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

  /** Inserts tokens at the end of the transaction. */
  insertAll(
    manager: EntityManager,
    workspaceId: number,
    tokens: readonly NewToken[],
    now: number,
  ): void {
    const records = tokens.map((token) => ({
      user_group_id: token.userGroupId,
      generation: token.generation,
      token_hash: toBytesText(token.hash),
      last_four: token.lastFour,
      ciphertext: toBytesText(token.ciphertext),
      key_id: token.keyId,
    }));
    const parameters = { workspaceId, tokens: records, now };
    this.statements.runLast(manager, insertTokens, parameters);
  }

  /** Those of the hashes that a token of any group of the workspace has, current or not. */
  async findKnown(
    manager: EntityManager,
    workspaceId: number,
    hashes: readonly Buffer[],
  ): Promise<Buffer[]> {
    const parameters = { workspaceId, hashes: hashes.map(toBytesText) };
    const rows = await this.statements.run(manager, findKnown, parameters);
    return rows.map(({ hash }) => hash);
  }

  /** Those of the hashes that a current token of the workspace has. */
  async findCurrentAmong(
    manager: EntityManager,
    workspaceId: number,
    hashes: readonly Buffer[],
  ): Promise<Buffer[]> {
    if (hashes.length === 0) return [];
    const parameters = { workspaceId, hashes: hashes.map(toBytesText) };
    const rows = await this.statements.run(manager, findCurrentAmong, parameters);
    return rows.map(({ hash }) => hash);
  }

  /**
   * Retires tokens that are current, and erases their ciphertexts. Of several transactions that try,
   * one gets a token and the others, once it has committed, do not.
   * @param waits else tokens that another transaction has locked stay as they are
   * @returns those that were retired, in any order
   */
  async retireAll(
    manager: EntityManager,
    workspaceId: number,
    retirements: readonly Retirement[],
    waits: boolean,
    now: number,
  ): Promise<RetiredToken[]> {
    const retired: RetiredToken[] = [];
    for (const naming of ['hash', 'group'] as const) {
      const records = retirements
        .filter(({ token }) => namingOf(token) === naming)
        .map(({ token, retiredBy, validUntil }) => ({
          named: 'hash' in token ? toBytesText(token.hash) : token.providedId,
          by_api_token: retiredBy,
          until: validUntil,
        }));
      if (records.length === 0) continue;
      const parameters = {
        workspaceId,
        retirements: records,
        named: records.map(({ named }) => named),
        now,
      };
      const query = retire[naming][waits ? 'waiting' : 'free'];
      for (const { hash, ...token } of await this.statements.run(manager, query, parameters)) {
        const { providedId } = token;
        retired.push({ ...token, named: naming === 'hash' ? { hash } : { providedId } });
      }
    }
    return retired;
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

function namingOf(token: TokenName): Naming {
  return 'hash' in token ? 'hash' : 'group';
}
