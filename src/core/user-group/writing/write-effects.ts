import { columnOf, columnsOf, type Dialect } from '../../../platform/database/dialect.ts';
import type { Has } from '../../../platform/database/statement.ts';
import { resolvedMappingColumn } from '../../mapping/resolved-mapping.ts';
import { WRITTEN } from '../group/user-group-fields.ts';
import { KEEP_FORMER_TOKEN } from '../token/former-tokens.ts';
import { IS_ENDED_TOGETHER } from '../token/user-group-token.repository.ts';
import { HELD_TOKEN, type WriteStep } from './write-claims.ts';
import { type ListName, NEW_ENTRY, NEW_TOKEN } from './write-records.ts';

/** A condition that is always true, and makes PostgreSQL run that step first. */
const after = (step: string) => `(SELECT count(*) FROM ${step}) >= 0`;

/** A JSON text of the tokens of a removed group, as `TokenOfVersion`; null for another group. */
function tokensOf({ jsonArray, jsonArrayOf }: Dialect, removed: string): string {
  const members = Object.keys(HELD_TOKEN)
    .slice(1)
    .map((member) => `h."${member}"`);
  return `CASE WHEN g.id IN (${removed}) THEN (
    SELECT CAST(${jsonArrayOf}(${jsonArray}(${members.join(', ')})) AS text)
    FROM held_token h WHERE h."userGroupId" = g.id) END`;
}

/** The time at which the group `g` is written: a version is replaced after it was recorded, whatever the clock says. */
export const replacedAt = ({ greatest }: Dialect) =>
  `${greatest}(CAST(:now AS bigint), g.updated_at + 1)`;

/** Keeps the present versions of groups, which the statement replaces. @param which a condition on the group `g` */
export const keepVersions = (dialect: Dialect, which: string, tokens = 'NULL') => `
  INSERT INTO user_group_version (user_group_id, version, workspace_id, provided_id, name, properties, mapping,
    suspended_at, valid_until, managed_by, created_at, recorded_at, replaced_at, tokens)
  SELECT g.id, g.version, g.workspace_id, g.provided_id, g.name, g.properties, ${resolvedMappingColumn(dialect)},
    g.suspended_at, g.valid_until, g.managed_by, g.created_at, g.updated_at, ${replacedAt(dialect)}, ${tokens}
  FROM user_group g WHERE ${which}`;

/** Stores what the writes in `applied` change. */
export function effectSteps(dialect: Dialect, has: Has, isCounted: boolean): WriteStep[] {
  const { greatest, isAmong, lockingOrder } = dialect;
  const retired = has('rotated') ? 'rotated' : 'replaced';
  const ofApplied = (list: ListName) =>
    `SELECT a.id FROM ${list} r CROSS JOIN applied a WHERE a.n = r.n`;
  return [
    {
      name: 'replaced_version',
      for: ['changed', 'removed'],
      sql: keepVersions(
        dialect,
        isAmong(
          'g.id',
          (['changed', 'removed'] as const).filter(has).map(ofApplied).join(' UNION ALL '),
        ),
        has('removed') ? tokensOf(dialect, ofApplied('removed')) : 'NULL',
      ),
    },
    {
      name: 'left_token',
      for: ['removed'],
      // Otherwise an import could bring back a token that was replaced or ended, or that is ended later.
      sql: `
        INSERT INTO former_token (workspace_id, token_hash, epoch, created_at, ended_at)
        SELECT t.workspace_id, t.token_hash, t.epoch, t.created_at,
          CASE WHEN t.retired_at IS NOT NULL OR ${IS_ENDED_TOGETHER} THEN CAST(:now AS bigint) END
        FROM user_group_token t
        WHERE ${isAmong('t.user_group_id', ofApplied('removed'))} ${lockingOrder('t.token_hash')}
        ${KEEP_FORMER_TOKEN}`,
    },
    {
      name: 'changed_group',
      for: ['changed'],
      sql: `
        UPDATE user_group AS g SET version = g.version + 1, updated_at = ${replacedAt(dialect)},
          valid_until_set_at = CASE WHEN r."validUntil" IS DISTINCT FROM g.valid_until THEN :now ELSE g.valid_until_set_at END,
          flaw = CASE WHEN r."isJudged" = 1 THEN NULL ELSE g.flaw END, ${Object.keys(WRITTEN)
            .map((member) => `${columnOf(member)} = r."${member}"`)
            .join(', ')}
        FROM changed r JOIN applied a ON a.n = r.n
        WHERE g.id = a.id AND ${isAmong('g.id', 'SELECT id FROM applied')}`,
    },
    {
      name: 'removed_group',
      for: ['removed'],
      sql: `
        DELETE FROM user_group
        WHERE ${isAmong('id', ofApplied('removed'))}`,
    },
    {
      name: 'removed_entry',
      for: ['remapped'],
      columns: { id: 'integer' },
      sql: `
        DELETE FROM data_source_mapping WHERE ${isAmong('user_group_id', ofApplied('remapped'))}
        RETURNING user_group_id AS id`,
    },
    {
      name: 'new_entry',
      for: ['entries'],
      sql: `
        INSERT INTO data_source_mapping (user_group_id, ${columnsOf(NEW_ENTRY).columns})
        SELECT a.id, ${columnsOf(NEW_ENTRY).members} FROM entries e CROSS JOIN applied a
        WHERE a.n = e.n ${has('remapped') ? `AND ${after('removed_entry')}` : ''}`,
    },
    {
      name: 'counted',
      for: isCounted ? ['created', 'removed'] : [],
      sql: `
        UPDATE workspace SET user_group_count = user_group_count
          ${has('created') ? '+ (SELECT count(*) FROM new_group)' : ''}
          ${has('removed') ? `- (SELECT count(*) FROM (${ofApplied('removed')}) r)` : ''}
        WHERE id = :workspaceId`,
    },
    {
      name: 'retired_token',
      for: [retired],
      columns: { id: 'integer' },
      sql: `
        UPDATE user_group_token AS t SET retired_at = :now, retired_by = r."retiredBy", valid_until = r."validUntil",
          ciphertext = NULL, key_id = NULL
        FROM ${retired} r CROSS JOIN applied a
        WHERE a.n = r.n AND t.user_group_id = a.id AND t.generation = a.generation - 1
          AND t.token_hash = r."tokenHash" AND t.workspace_id = :workspaceId
          AND ${isAmong('t.token_hash', `SELECT "tokenHash" FROM ${retired}`)}
        RETURNING user_group_id AS id`,
    },
    {
      name: 'issued_token',
      for: ['issued'],
      // The token must not be among those that another process has ended.
      sql: `
        INSERT INTO user_group_token (workspace_id, created_at, epoch, user_group_id, generation, ${columnsOf(NEW_TOKEN).columns})
        SELECT w.id, ${greatest}(CAST(:now AS bigint), coalesce(w.tokens_ended_before, 0)), w.tokens_epoch, a.id, a.generation, ${columnsOf(NEW_TOKEN).members}
        FROM issued i CROSS JOIN applied a CROSS JOIN workspace w
        WHERE w.id = :workspaceId AND a.n = i.n ${has(retired) ? `AND ${after('retired_token')}` : ''} ${lockingOrder('"tokenHash"')}`,
    },
  ];
}
