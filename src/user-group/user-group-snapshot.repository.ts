import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../common/json/strict-json';
import type { Dialect } from '../database/dialect';
import { statement, Statements } from '../database/statement';
import {
  readResolvedMapping,
  type ResolvedEntry,
  resolvedMappingColumn,
} from '../registry/resolved-mapping';
import type { EmbeddingWorkspace } from './user-group-token.repository';
import { readRules, type Rules, rulesColumn, shortcomingsOf } from '../registry/rules';

/** A generation that could be introspected when it was read. */
export interface IntrospectableToken {
  generation: number;
  /** SHA-256 of the token in Base64: as a text, since a Buffer can keep far more memory than its own. */
  hash: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** End of the overlap, which the clock may have reached since; null for the current token. */
  validUntil: number | null;
}

/** A user group as it was read, with the tokens of it that could be introspected then. */
export interface UserGroupSnapshot {
  readonly workspaceId: number;
  readonly workspace: EmbeddingWorkspace;
  readonly userGroupId: number;
  readonly providedId: string;
  readonly name: string;
  /** JSON text of an object: as objects some texts take twenty times the memory. */
  readonly properties: string;
  readonly mapping: readonly ResolvedEntry[];
  /** Those of its workspace, in the same moment. */
  readonly rules: Rules;
  readonly isSuspended: boolean;
  /** Whether it has all that its workspace requires. */
  readonly isComplete: boolean;
  /** The current one, and before it its predecessor while that is in its overlap. */
  readonly tokens: readonly IntrospectableToken[];
  /** About how much memory it takes, in characters of text. */
  readonly size: number;
}

/** What a snapshot takes beside its texts. */
const FIXED_SIZE = 500;
/** What an entry of a mapping takes, with the texts that most have. */
const ENTRY_SIZE = 500;

interface Row extends Omit<IntrospectableToken, 'hash'>, EmbeddingWorkspace {
  hash: Buffer;
  userGroupId: number;
  providedId: string;
  name: string;
  properties: string;
  suspendedAt: number | null;
  mapping: string | null;
  rules: string | null;
}

/** One row for each token; what is the same in all of them is read from the first. */
const selectSnapshot = (dialect: Dialect, which: string) => `
  SELECT g.id AS "userGroupId", g.provided_id AS "providedId", g.name, g.properties,
    g.suspended_at AS "suspendedAt", t.generation, t.token_hash AS hash, t.created_at AS "createdAt",
    t.valid_until AS "validUntil", ${resolvedMappingColumn(dialect)} AS mapping,
    ${rulesColumn(dialect)} AS rules,
    w.public_id AS "publicId", w.embed_token_issuer AS "embedTokenIssuer"
  FROM user_group g
  JOIN workspace w ON w.id = g.workspace_id
  JOIN user_group_token c ON c.user_group_id = g.id AND c.retired_at IS NULL
  JOIN user_group_token t ON t.user_group_id = g.id
    AND t.generation >= c.generation - 1
    AND (t.retired_at IS NULL OR t.valid_until > :now)
  WHERE g.workspace_id = :workspaceId AND g.id = ${which}
  ORDER BY t.generation`;

const findByHash = statement<{ workspaceId: number; hash: Buffer; now: number }, Row>(
  'user-group-snapshot.find-by-hash',
  (dialect) =>
    selectSnapshot(
      dialect,
      `(SELECT user_group_id FROM user_group_token
        WHERE token_hash = :hash AND workspace_id = :workspaceId)`,
    ),
);

const findById = statement<{ workspaceId: number; userGroupId: number; now: number }, Row>(
  'user-group-snapshot.find-by-id',
  (dialect) => selectSnapshot(dialect, ':userGroupId'),
);

/** Reads snapshots: each in one statement, so that group and tokens are of one moment. */
@Injectable()
export class UserGroupSnapshotRepository {
  constructor(private readonly statements: Statements) {}

  /** The group that has, or once had, the token with this hash. */
  async findByHash(key: {
    workspaceId: number;
    hash: Buffer;
  }): Promise<UserGroupSnapshot | undefined> {
    const rows = await this.statements.read(findByHash, { ...key, now: Date.now() });
    return toSnapshot(key.workspaceId, rows);
  }

  async findById(key: {
    workspaceId: number;
    userGroupId: number;
  }): Promise<UserGroupSnapshot | undefined> {
    const rows = await this.statements.read(findById, { ...key, now: Date.now() });
    return toSnapshot(key.workspaceId, rows);
  }
}

function toSnapshot(workspaceId: number, rows: readonly Row[]): UserGroupSnapshot | undefined {
  const [group] = rows;
  if (!group) return undefined;
  const { userGroupId, providedId, name, properties, mapping, rules, suspendedAt } = group;
  const content = {
    properties: JSON.parse(properties) as JsonObject,
    mapping: readResolvedMapping(mapping),
  };
  const rulesOfWorkspace = readRules(rules);
  return {
    workspaceId,
    workspace: { publicId: group.publicId, embedTokenIssuer: group.embedTokenIssuer },
    userGroupId,
    providedId,
    name,
    properties,
    mapping: content.mapping,
    rules: rulesOfWorkspace,
    isSuspended: suspendedAt !== null,
    isComplete: shortcomingsOf(rulesOfWorkspace, content).length === 0,
    tokens: rows.map(({ generation, hash, createdAt, validUntil }) => ({
      generation,
      hash: hash.toString('base64'),
      createdAt,
      validUntil,
    })),
    size: FIXED_SIZE + name.length + properties.length + content.mapping.length * ENTRY_SIZE,
  };
}
