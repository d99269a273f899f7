import { Injectable } from '@nestjs/common';
import { currentTime } from '../../../platform/common/time.ts';
import type { Dialect } from '../../../platform/database/dialect.ts';
import { SharedReads } from '../../../platform/database/waves/shared-reads.ts';
import { type Statement, statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import {
  readResolvedMapping,
  type ResolvedEntry,
  resolvedMappingColumn,
} from '../../mapping/resolved-mapping.ts';
import {
  ENDED_TOGETHER_COLUMNS,
  type EmbeddingWorkspace,
  type EndedTogether,
} from '../token/user-group-token.repository.ts';
import {
  parseUserGroupRules,
  type UserGroupRules,
  userGroupRulesColumn,
} from '../../mapping/user-group-rules.ts';
import { flawOf } from '../status/user-group-status.ts';

/** A generation that could be introspected when it was read. */
export interface IntrospectableToken {
  generation: number;
  /** SHA-256 of the token in hexadecimal: as a text, since a Buffer can keep far more memory than its own. */
  hash: string;
  /** The epoch of its workspace in which it was issued. */
  epoch: number;
  createdAt: number;
  /** End of the overlap, which may have passed since; null for the current token. */
  validUntil: number | null;
}

/** A user group with its tokens that could be introspected when it was read. */
export interface UserGroupSnapshot {
  readonly workspaceId: number;
  readonly workspace: EmbeddingWorkspace & EndedTogether;
  readonly userGroupId: number;
  readonly providedId: string;
  readonly name: string;
  /** JSON text of an object: parsed, some take twenty times the memory. */
  readonly properties: string;
  readonly mapping: readonly ResolvedEntry[];
  /** The rules of its workspace, at the same moment. */
  readonly rules: UserGroupRules;
  readonly suspendedAt: number | null;
  readonly validUntil: number | null;
  /** Whether the rules of its workspace find it incomplete. */
  readonly isIncomplete: boolean;
  /** The current one, preceded by its predecessor during the overlap. */
  readonly tokens: readonly IntrospectableToken[];
  /** The `jti` of embed tokens that were ended before they expire. */
  readonly revokedEmbedTokens: readonly string[];
  /** Approximate memory, in characters of text. */
  readonly size: number;
}

/** Memory of a snapshot besides its texts. */
const FIXED_SIZE = 1000;
/** Memory of a mapping entry with texts of typical length. */
const ENTRY_SIZE = 500;

interface Row extends IntrospectableToken, EmbeddingWorkspace, EndedTogether {
  userGroupId: number;
  providedId: string;
  name: string;
  properties: string;
  suspendedAt: number | null;
  groupValidUntil: number | null;
  mapping: string | null;
  rules: string | null;
  /** JSON text of a list; null for none. */
  revoked: string | null;
}

interface Keys {
  workspaceId: number;
  keys: readonly string[];
  now: number;
}

/** Selects a row for each token, the tokens of a group together. */
const selectSnapshots = (dialect: Dialect, which: string) => `
  SELECT g.id AS "userGroupId", g.provided_id AS "providedId", g.name, g.properties,
    g.suspended_at AS "suspendedAt", g.valid_until AS "groupValidUntil", t.generation, ${dialect.toHex('t.token_hash')} AS hash,
    t.epoch, t.created_at AS "createdAt", t.valid_until AS "validUntil",
    ${resolvedMappingColumn(dialect)} AS mapping,
    ${userGroupRulesColumn(dialect)} AS rules,
    (SELECT CAST(${dialect.jsonArrayOf}(e.jti) AS text) FROM revoked_embed_token e WHERE e.user_group_id = g.id) AS revoked,
    w.public_id AS "publicId", w.embed_token_issuer AS "embedTokenIssuer", w.view_as AS "viewAs",
    ${ENDED_TOGETHER_COLUMNS}
  FROM user_group g
  JOIN workspace w ON w.id = g.workspace_id
  JOIN user_group_token c ON c.user_group_id = g.id AND c.retired_at IS NULL
  JOIN user_group_token t ON t.user_group_id = g.id
    AND t.generation >= c.generation - 1
    AND (t.retired_at IS NULL OR t.valid_until > :now)
  WHERE g.workspace_id = :workspaceId AND ${which}
  ORDER BY g.id, t.generation`;

const findByHashes = statement<Keys, Row>('user-group-snapshot.find-by-hashes', (dialect) =>
  dialect.forEachKey(':keys', (key) =>
    selectSnapshots(
      dialect,
      key.leadsTo(
        'g.id',
        `SELECT h.user_group_id FROM user_group_token h
         WHERE h.workspace_id = :workspaceId AND ${key.is('h.token_hash', dialect.fromHex)}`,
      ),
    ),
  ),
);

const findByIds = statement<Keys, Row>('user-group-snapshot.find-by-ids', (dialect) =>
  dialect.forEachKey(':keys', (key) =>
    selectSnapshots(
      dialect,
      key.is('g.id', (text) => `CAST(${text} AS integer)`),
    ),
  ),
);

/** Reads the snapshots of a call in one statement, so that group, tokens and rules are of one moment. */
@Injectable()
export class UserGroupSnapshotRepository {
  private readonly byHash = new SharedReads<UserGroupSnapshot>(async (workspaceId, hashes) => {
    const groups = await this.read(findByHashes, workspaceId, hashes);
    return new Map(groups.flatMap((group) => group.tokens.map(({ hash }) => [hash, group])));
  });

  private readonly byId = new SharedReads<UserGroupSnapshot>(async (workspaceId, ids) => {
    const groups = await this.read(findByIds, workspaceId, ids);
    return new Map(groups.map((group) => [`${group.userGroupId}`, group]));
  });

  constructor(private readonly statements: Statements) {}

  /** Finds the group of the token with this hash, if the token can be introspected. Calls share statements. */
  findByHash(workspaceId: number, hash: string): Promise<UserGroupSnapshot | undefined> {
    return this.byHash.read(workspaceId, hash);
  }

  /** Finds the group with this internal id, if it belongs to the workspace. Calls share statements. */
  findById(workspaceId: number, userGroupId: number): Promise<UserGroupSnapshot | undefined> {
    return this.byId.read(workspaceId, `${userGroupId}`);
  }

  private async read(
    query: Statement<Keys, Row>,
    workspaceId: number,
    keys: readonly string[],
  ): Promise<UserGroupSnapshot[]> {
    const parameters = { workspaceId, keys, now: currentTime() };
    const rows = await this.statements.read(query, parameters);
    const rules = parseUserGroupRules(rows[0]?.rules ?? null);
    // Two hashes can belong to the same group, whose rows then occur twice.
    const groups: Row[][] = [];
    for (const row of rows) {
      const group = groups.at(-1);
      const last = group?.at(-1);
      if (last?.userGroupId === row.userGroupId && last.generation < row.generation) {
        group!.push(row);
      } else groups.push([row]);
    }
    return groups.map((tokens) => toSnapshot(workspaceId, rules, tokens));
  }
}

/** @param rows at least one */
function toSnapshot(
  workspaceId: number,
  rules: UserGroupRules,
  rows: readonly Row[],
): UserGroupSnapshot {
  const { userGroupId, providedId, name, properties, suspendedAt, groupValidUntil, ...group } =
    rows[0]!;
  const { publicId, embedTokenIssuer, viewAs } = group;
  const { tokensEpoch, embedTokensEpoch, tokensEndedBefore, embedTokensEndedBefore } = group;
  const ended = { tokensEpoch, embedTokensEpoch, tokensEndedBefore, embedTokensEndedBefore };
  const mapping = readResolvedMapping(group.mapping);
  return {
    workspaceId,
    workspace: { publicId, embedTokenIssuer, viewAs, ...ended },
    userGroupId,
    providedId,
    name,
    properties,
    mapping,
    rules,
    suspendedAt,
    validUntil: groupValidUntil,
    isIncomplete: flawOf({ properties, mapping }, rules) === 'incomplete',
    tokens: rows.map(({ generation, hash, epoch, createdAt, validUntil }) => {
      return { generation, hash, epoch, createdAt, validUntil };
    }),
    revokedEmbedTokens: JSON.parse(group.revoked ?? '[]') as string[],
    size:
      FIXED_SIZE +
      name.length +
      properties.length +
      (group.revoked?.length ?? 0) +
      mapping.length * ENTRY_SIZE,
  };
}
