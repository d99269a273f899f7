import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { GroupReader } from '../../../platform/common/access/caller.ts';
import { seenBy } from '../../../platform/common/access/user-group-range.ts';
import type { Page, PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { toBytesText } from '../../../platform/database/dialect.ts';
import { KeysetList, KeysetOrder } from '../../../platform/database/keyset-list.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { SharedReads } from '../../../platform/database/waves/shared-reads.ts';
import type { UserGroupToken } from '../entities/user-group-token.entity.ts';

/** The settings of a workspace that its embed tokens depend on. */
export interface EmbeddingWorkspace {
  publicId: string;
  /** Null for the one by default. */
  embedTokenIssuer: string | null;
  /** Whether tokens for somebody who acts for a group are issued and accepted. */
  viewAs: 'allowed' | 'forbidden';
}

/** The end of the tokens of a workspace together: a token of an earlier epoch is ended, and one issued before the time. */
export interface EndedTogether {
  tokensEpoch: number;
  embedTokensEpoch: number;
  /** Null if none was ended. */
  tokensEndedBefore: number | null;
  embedTokensEndedBefore: number | null;
}

/** Columns of `EndedTogether`, of the workspace `w`. */
export const ENDED_TOGETHER_COLUMNS = `w.tokens_epoch AS "tokensEpoch", w.embed_tokens_epoch AS "embedTokensEpoch",
  w.tokens_ended_before AS "tokensEndedBefore", w.embed_tokens_ended_before AS "embedTokensEndedBefore"`;

/** Tells of a token whether it was ended together with others; it may be null if it was not. */
export const isTokenEnded = (t: string) => `(
  ${t}.epoch < (SELECT w.tokens_epoch FROM workspace w WHERE w.id = :workspaceId)
  OR ${t}.created_at < (SELECT w.tokens_ended_before FROM workspace w WHERE w.id = :workspaceId))`;

export const IS_ENDED_TOGETHER = isTokenEnded('t');

/** The current token of a group, without the token itself. */
export interface CurrentToken extends Pick<EmbeddingWorkspace, 'viewAs'> {
  providedId: string;
  userGroupId: number;
  /** JSON text. */
  properties: string;
  /** JSON text of the allowed audiences of embed tokens; empty allows any. */
  embedTokenAudiences: string;
}

/** A generation as an operator may see it, with the data that decides whether it is refused. */
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
  /** Time when the next generation was replaced, which ended this one's overlap; null if it was not. */
  successorRetiredAt: number | null;
  isEndedTogether: boolean | 0 | 1 | null;
};

interface GenerationFilters {
  workspaceId: number;
  userGroupId: number;
  /** Null for any. */
  generation: number | null;
  /** Null for any. */
  lastFour: string | null;
}

/** Only the latest of the retired generations can overlap with the current one. */
export const IS_PREDECESSOR = `EXISTS (
  SELECT 1 FROM user_group_token c
  WHERE c.user_group_id = t.user_group_id AND c.generation = t.generation + 1 AND c.retired_at IS NULL)`;

const findUsed = statement<{ workspaceId: number; hashes: readonly string[] }, { hash: string }>(
  'user-group-token.find-used',
  ({ isOneOf, toHex }) => `
    SELECT ${toHex('token_hash')} AS hash FROM user_group_token
    WHERE workspace_id = :workspaceId AND ${isOneOf('token_hash', ':hashes', 'bytes')}
    UNION ALL SELECT ${toHex('p.token_hash')} FROM former_token p
    WHERE p.workspace_id = :workspaceId AND ${isOneOf('p.token_hash', ':hashes', 'bytes')}
      AND (p.ended_at IS NOT NULL OR ${isTokenEnded('p')})`,
);

const lockGroupOf = statement<{ workspaceId: number; hash: string }>(
  'user-group-token.lock-group',
  ({ lockRows, valueOf }) => `
    SELECT g.id FROM user_group g WHERE g.id = (
      SELECT t.user_group_id FROM user_group_token t
      WHERE t.workspace_id = :workspaceId AND t.token_hash = ${valueOf(':hash', 'bytes')}) ${lockRows('g', 'UPDATE')}`,
);

const lockToken = statement<{ workspaceId: number; hash: string }>(
  'user-group-token.lock',
  ({ lockRows, valueOf }) => `
    SELECT t.generation FROM user_group_token t
    WHERE t.workspace_id = :workspaceId AND t.token_hash = ${valueOf(':hash', 'bytes')} ${lockRows('t', 'UPDATE')}`,
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

interface Hashes {
  workspaceId: number;
  hashes: readonly string[];
}

/** A token that somebody holds. */
export interface HeldToken {
  /** In hexadecimal. */
  hash: string;
  userGroupId: number;
  providedId: string;
  generation: number;
  /** Does not depend on the state of its group. */
  state: 'current' | 'overlap' | 'ended';
  lastIntrospectedAt: number | null;
}

const findHeld = statement<Hashes & { now: number }, HeldToken>(
  'user-group-token.find-held',
  ({ isOneOf, toHex }) => `
    SELECT ${toHex('t.token_hash')} AS hash, t.user_group_id AS "userGroupId", g.provided_id AS "providedId",
      t.generation, t.last_introspected_at AS "lastIntrospectedAt", CASE WHEN ${IS_ENDED_TOGETHER} THEN 'ended' WHEN t.retired_at IS NULL THEN 'current'
        WHEN t.valid_until > :now AND ${IS_PREDECESSOR} THEN 'overlap' ELSE 'ended' END AS state
    FROM user_group_token t JOIN user_group g ON g.id = t.user_group_id
    WHERE t.workspace_id = :workspaceId AND ${isOneOf('t.token_hash', ':hashes', 'bytes')}`,
);

/** Locks the tokens in the order in which others lock several. */
const endOverlaps = statement<Hashes & { revokedBy: number | null; now: number }, { hash: string }>(
  'user-group-token.end-overlaps',
  ({ isAmong, isOneOf, lockRows, toHex }) => `
    UPDATE user_group_token AS t SET valid_until = :now, revoked_at = :now, revoked_by = :revokedBy
    WHERE ${isAmong(
      't.token_hash',
      `SELECT t.token_hash FROM user_group_token t
       WHERE t.workspace_id = :workspaceId AND ${isOneOf('t.token_hash', ':hashes', 'bytes')}
       ORDER BY t.user_group_id, t.generation ${lockRows('t', 'UPDATE')}`,
    )} AND t.workspace_id = :workspaceId AND t.valid_until > :now AND t.revoked_at IS NULL AND ${IS_PREDECESSOR}
    RETURNING ${toHex('token_hash')} AS hash`,
);

const generations = new KeysetList<GenerationFilters, TokenGeneration>(
  'user-group-token.list',
  new KeysetOrder([['generation', 't.generation']], 'DESC'),
  (page) => `
    SELECT t.generation, t.last_four AS "lastFour", t.created_at AS "createdAt",
      t.retired_at AS "retiredAt", t.retired_by AS "retiredBy", t.valid_until AS "validUntil",
      t.revoked_at AS "revokedAt", t.revoked_by AS "revokedBy",
      t.last_introspected_at AS "lastIntrospectedAt",
      s.retired_at AS "successorRetiredAt", ${IS_ENDED_TOGETHER} AS "isEndedTogether"
    FROM user_group_token t
    JOIN user_group g ON g.id = t.user_group_id AND g.workspace_id = :workspaceId
    LEFT JOIN user_group_token s ON s.user_group_id = t.user_group_id
      AND s.generation = t.generation + 1
    WHERE t.user_group_id = :userGroupId
      AND (CAST(:generation AS integer) IS NULL OR t.generation = :generation)
      AND (CAST(:lastFour AS text) IS NULL OR t.last_four = :lastFour)
      AND ${page}`,
);

const findCurrent = statement<
  { workspaceId: number; providedIds: readonly string[] },
  CurrentToken
>('user-group-token.find-current', (dialect) =>
  dialect.forEachKey(
    ':providedIds',
    (key) => `
    SELECT g.provided_id AS "providedId", g.id AS "userGroupId", g.properties, w.view_as AS "viewAs",
      w.embed_token_audiences AS "embedTokenAudiences"
    FROM user_group g
    JOIN workspace w ON w.id = g.workspace_id
    JOIN user_group_token t ON t.user_group_id = g.id AND t.retired_at IS NULL
    WHERE g.workspace_id = :workspaceId AND ${key.is('g.provided_id')}`,
  ),
);

/** Queries tokens; each query names the workspace, or a group's id from a query that did. */
@Injectable()
export class UserGroupTokenRepository {
  private readonly current = new SharedReads<CurrentToken>(async (workspaceId, providedIds) => {
    const rows = await this.statements.read(findCurrent, { workspaceId, providedIds });
    return new Map(rows.map((row) => [row.providedId, row]));
  });

  constructor(private readonly statements: Statements) {}

  /**
   * Returns, in hexadecimal, the hashes that belong to any token of the workspace, current or not. The last token of a
   * deleted group is not among them, unless somebody has ended it.
   */
  async findUsed(
    workspaceId: number,
    hashes: readonly Buffer[],
    manager?: EntityManager,
  ): Promise<Set<string>> {
    if (hashes.length === 0) return new Set();
    const parameters = { workspaceId, hashes: hashes.map(toBytesText) };
    const rows = await this.statements.read(findUsed, parameters, manager);
    return new Set(rows.map(({ hash }) => hash));
  }

  /** Locks a token and its group against other writers until the transaction ends. */
  async lock(manager: EntityManager, workspaceId: number, tokenHash: Buffer): Promise<void> {
    const key = { workspaceId, hash: toBytesText(tokenHash) };
    await this.statements.run(manager, lockGroupOf, key);
    await this.statements.run(manager, lockToken, key);
  }

  /** Ends the overlap of a retired generation now; returns false if it was over. */
  async endOverlap(
    manager: EntityManager,
    token: { userGroupId: number; generation: number; revokedBy: number | null },
  ): Promise<boolean> {
    const ended = await this.statements.run(manager, endOverlap, { ...token, now: currentTime() });
    return ended.length > 0;
  }

  /** Finds the tokens of groups of the workspace among those with these hashes. */
  findHeld(workspaceId: number, hashes: readonly Buffer[]): Promise<HeldToken[]> {
    return this.statements.read(findHeld, {
      workspaceId,
      hashes: hashes.map(toBytesText),
      now: currentTime(),
    });
  }

  /** Ends the overlaps of tokens now. @returns the hashes of those that were not over, in hexadecimal */
  async endOverlaps(
    manager: EntityManager,
    { hashes, ...of }: { workspaceId: number; hashes: readonly Buffer[]; revokedBy: number | null },
  ): Promise<Set<string>> {
    const parameters = { ...of, hashes: hashes.map(toBytesText), now: currentTime() };
    return new Set(
      (await this.statements.run(manager, endOverlaps, parameters)).map(({ hash }) => hash),
    );
  }

  /** Lists one page of the matching generations, the newest first. */
  list(filters: GenerationFilters, query: PageQueryDto): Promise<Page<TokenGeneration>> {
    return generations.page(this.statements, query, filters);
  }

  /** Finds the current token of a group; undefined if no such group exists for the reader. */
  async findCurrent(reader: GroupReader, providedId: string): Promise<CurrentToken | undefined> {
    return seenBy(reader, await this.current.read(reader.workspaceId, providedId));
  }

  /** Finds one generation; undefined if the group has none of this number. */
  async find(
    workspaceId: number,
    userGroupId: number,
    generation: number,
  ): Promise<TokenGeneration | undefined> {
    const filters = { workspaceId, userGroupId, generation, lastFour: null };
    return (await this.list(filters, { limit: '1' })).rows[0];
  }
}
