import { columnOf, columnsOf, type Dialect } from '../../../platform/database/dialect.ts';
import type { Has, Step } from '../../../platform/database/statement.ts';
import { rememberKeys } from '../../idempotency/idempotency-keys.ts';
import { IS_ENDED_TOGETHER, isTokenEnded } from '../token/user-group-token.repository.ts';
import { type ListName, N, NEW_GROUP } from './write-records.ts';

/** The members of a deleted group's tokens that the history keeps, after the number of the group. */
export const HELD_TOKEN = {
  userGroupId: 'integer',
  generation: 'integer',
  lastFour: 'text',
  epoch: 'integer',
  createdAt: 'bigint',
  retiredAt: 'bigint',
  validUntil: 'bigint',
  revokedAt: 'bigint',
} as const;

/** Whether all tokens of the group `e.id` are held, and the current one is still that. */
const IS_WHOLLY_HELD = `e.id IN (SELECT "userGroupId" FROM held_token WHERE "retiredAt" IS NULL)
            AND NOT EXISTS (
              SELECT 1 FROM user_group_token t WHERE t.user_group_id = e.id AND t.generation NOT IN (
                SELECT h."generation" FROM held_token h WHERE h."userGroupId" = e.id))`;

const APPLIED = { ...N, id: 'integer', generation: 'integer' } as const;
const ROTATED = { ...APPLIED, name: 'text', providedId: 'text', redactedId: 'text' } as const;

/** Avoids `IS NULL`, the condition of the index of current tokens: without statistics PostgreSQL would read all of it. */
const IS_CURRENT = 'coalesce(t.retired_at, 0) = 0';

/** Whether the rotation `r` may replace it: the holder of an ended one may be a thief. */
export const IS_ROTATABLE = `${IS_CURRENT} AND (r."mayBeEnded" = 1 OR NOT coalesce(${IS_ENDED_TOGETHER}, false))`;

/** A step with the lists whose records it is for; without them it is for every write. */
export type WriteStep = Step & { for?: readonly ListName[] };

/**
 * Decides which writes are stored, and locks what they change: `applied` has them, with their groups and the generations
 * of their new tokens.
 */
export function claimSteps(dialect: Dialect, has: Has, isCounted: boolean): WriteStep[] {
  const { isAmong, lockRows, lockFreeRows, lockingOrder, nextId, tryLockShared } = dialect;
  const added = has('created') ? '(SELECT count(*) FROM created)' : '0';
  const ofFormer = `SELECT c.n FROM chosen c CROSS JOIN former_token p
        WHERE p.workspace_id = :workspaceId AND p.token_hash = c."tokenHash"
          AND ${isAmong('p.token_hash', 'SELECT "tokenHash" FROM chosen')}`;
  /** Leaves out a write whose token was ended since it was planned. */
  const andUnended = (write: string) =>
    has('chosen') ? `AND ${write}.n NOT IN (SELECT n FROM ended_token)` : '';
  return [
    {
      name: 'same_rules',
      for: ['created', 'expected'],
      columns: { id: 'integer' },
      // The lock shows the newest version of the row, which may be younger than the statement.
      sql: `
        SELECT w.id FROM workspace w WHERE w.id = :workspaceId AND w.rules_version = :rulesVersion
          ${isCounted ? `AND (${added} = 0 OR w.user_group_count + ${added} <= w.user_group_quota)` : ''}
          AND ${tryLockShared(':workspaceId')} ${lockRows('w', isCounted ? 'NO KEY UPDATE' : 'KEY SHARE')}`,
    },
    {
      name: 'unended_token',
      for: ['chosen'],
      columns: N,
      // The lock shows an end that is younger than the statement; a later end waits, and then finds the group.
      sql: `
        ${ofFormer}
          AND p.ended_at IS NULL AND ${isTokenEnded('p')} IS NOT TRUE ${lockFreeRows('p', 'SHARE')}`,
    },
    {
      name: 'ended_token',
      for: ['chosen'],
      columns: N,
      sql: `
        ${ofFormer}
          AND c.n NOT IN (SELECT n FROM unended_token)`,
    },
    {
      name: 'new_group',
      for: ['created'],
      columns: { id: 'integer', providedId: 'text' },
      // Numbers the groups in the given order. A rename gives the rules another version: it cannot reserve an id meanwhile.
      sql: `
        INSERT INTO user_group (id, workspace_id, created_at, updated_at, ${columnsOf(NEW_GROUP).columns})
        SELECT g."newId", CAST(:workspaceId AS integer), CAST(:now AS bigint), CAST(:now AS bigint),
          ${columnsOf(NEW_GROUP).members}
        FROM (SELECT ${nextId('user_group')} AS "newId", c.* FROM created c CROSS JOIN same_rules) g
        WHERE coalesce((
            SELECT r.reserved_until FROM reserved_id r
            WHERE r.workspace_id = :workspaceId AND r.provided_id = g."providedId"), 0) <= CAST(:now AS bigint)
          ${andUnended('g')} ${lockingOrder('"providedId"')}
        ON CONFLICT (workspace_id, provided_id) DO NOTHING
        RETURNING id, provided_id AS "providedId"`,
    },
    {
      name: 'free_token',
      for: ['replaced'],
      columns: { id: 'integer' },
      sql: `
        SELECT e.id FROM expected e CROSS JOIN user_group_token t
        WHERE ${isAmong('t.user_group_id', 'SELECT id FROM expected')} AND t.user_group_id = e.id
          AND t.generation = e.generation AND ${IS_CURRENT} ${lockFreeRows('t')}`,
    },
    {
      name: 'held_token',
      for: ['removed'],
      columns: HELD_TOKEN,
      // Before the groups: another transaction may have rotated since the statement began, which the locked row shows.
      // Waits for nobody: the row of a workspace with a quota is locked already, and others lock it last.
      sql: `
        SELECT ${Object.keys(HELD_TOKEN)
          .map((member) => `t.${columnOf(member)} AS "${member}"`)
          .join(', ')}
        FROM user_group_token t WHERE ${isAmong('t.user_group_id', 'SELECT e.id FROM removed r CROSS JOIN expected e WHERE e.n = r.n')}
        ORDER BY t.user_group_id, t.generation ${lockFreeRows('t', 'UPDATE')}`,
    },
    {
      name: 'free_group',
      for: ['expected'],
      columns: APPLIED,
      sql: `
        SELECT e.n, g.id, e.generation + 1 AS generation FROM expected e CROSS JOIN user_group g
        WHERE ${isAmong('g.id', 'SELECT id FROM expected')} AND g.id = e.id
          AND g.version = e.version AND EXISTS (SELECT 1 FROM same_rules) ${andUnended('e')}
          ${has('replaced') ? 'AND (e.generation IS NULL OR e.id IN (SELECT id FROM free_token))' : ''}
          ${has('removed') ? `AND (e.n NOT IN (SELECT n FROM removed) OR ${IS_WHOLLY_HELD})` : ''}
          ${lockFreeRows('g', has('removed') ? 'UPDATE' : 'NO KEY UPDATE')}`,
    },
    {
      name: 'free_rotation',
      for: ['rotated'],
      columns: ROTATED,
      sql: `
        SELECT r.n, g.id, t.generation + 1 AS generation, g.name, g.provided_id AS "providedId",
          g.redacted_id AS "redactedId"
        FROM rotated r CROSS JOIN user_group_token t JOIN user_group g ON g.id = t.user_group_id
        WHERE ${isAmong('t.token_hash', 'SELECT "tokenHash" FROM rotated')} AND t.token_hash = r."tokenHash"
          AND t.workspace_id = :workspaceId AND ${IS_ROTATABLE}
          AND r.n IN (SELECT min(n) FROM rotated GROUP BY "tokenHash")
        ${lockFreeRows('t')} ${lockFreeRows('g', 'KEY SHARE')}`,
    },
    {
      name: 'free',
      isView: true,
      sql: [
        has('created') &&
          'SELECT c.n, g.id, 1 AS generation FROM created c CROSS JOIN new_group g WHERE g."providedId" = c."providedId"',
        has('expected') && 'SELECT * FROM free_group',
        has('rotated') && 'SELECT * FROM free_rotation',
      ]
        .filter((part) => part !== false)
        .join(' UNION ALL '),
    },
    { name: 'remembered', for: ['keys'], columns: { id: 'integer' }, sql: rememberKeys },
    {
      name: 'applied',
      columns: has('rotated') ? ROTATED : APPLIED,
      sql: has('keys')
        ? 'SELECT * FROM free WHERE n NOT IN (SELECT n FROM keys) OR id IN (SELECT id FROM remembered)'
        : 'SELECT * FROM free',
    },
  ];
}
