import { RECORDED, recordingSteps } from '../../audit/audit-log.ts';
import { columnOf, columnsOf, type Dialect } from '../../../platform/database/dialect.ts';
import { type Has, statement, type Step } from '../../../platform/database/statement.ts';
import { resolvedMappingColumn } from '../../mapping/resolved-mapping.ts';
import { WRITTEN } from '../group/user-group-fields.ts';
import { KEEP_FORMER_TOKEN } from '../token/former-tokens.ts';
import { IS_ENDED_TOGETHER, isTokenEnded } from '../token/user-group-token.repository.ts';
import { rememberKeys } from '../../idempotency/idempotency-keys.ts';
import {
  type ListName,
  LISTS,
  N,
  NEW_ENTRY,
  NEW_GROUP,
  NEW_TOKEN,
  type WriteParameters,
} from './write-records.ts';

/** The members of a deleted group's tokens that the history keeps, after the number of the group. */
const HELD_TOKEN = {
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

/** A write that was stored, with the id of its group. */
interface AppliedWrite {
  n: number;
  id: number;
}

/** A rotation that was stored; otherwise its `id` is null. */
export interface AppliedRotation {
  n: number;
  id: number | null;
  name: string;
  providedId: string;
  /** If it was not stored: whether its token was current when the statement began. */
  isCurrent: boolean | 0 | 1;
}

const APPLIED = { ...N, id: 'integer', generation: 'integer' } as const;
const ROTATED = { ...APPLIED, name: 'text', providedId: 'text', redactedId: 'text' } as const;

/** Avoids `IS NULL`, the condition of the index of current tokens: without statistics PostgreSQL would read all of it. */
const IS_CURRENT = 'coalesce(t.retired_at, 0) = 0';

/** Whether the rotation `r` may replace it: the holder of an ended one may be a thief. */
const IS_ROTATABLE = `${IS_CURRENT} AND (r."mayBeEnded" = 1 OR NOT coalesce(${IS_ENDED_TOGETHER}, false))`;

/**
 * Stores writes, each as a whole or not at all. It leaves out a write if the rules have changed since they were read, if
 * another transaction has changed what the write expects, or if another transaction holds a lock on it. It waits for no
 * other transaction, except for one that is inserting the same group, token or key.
 */
export const applyUncounted = statement<WriteParameters, AppliedWrite>(
  'user-group.apply',
  (dialect, has) => [
    ...stepsOf(dialect, has, false),
    { name: 'result', sql: 'SELECT n, id FROM applied' },
  ],
);

/** The same in a workspace with a quota, whose writes wait for each other. No group is created beyond it. */
export const applyCounted = statement<WriteParameters, AppliedWrite>(
  'user-group.apply-counted',
  (dialect, has) => [
    ...stepsOf(dialect, has, true),
    { name: 'result', sql: 'SELECT n, id FROM applied' },
  ],
);

/** Replaces tokens, each once. It leaves out those that another transaction has replaced or holds. */
export const applyRotations = statement<WriteParameters, AppliedRotation>(
  'user-group-token.rotate',
  (dialect, has) => [
    ...stepsOf(dialect, has, false),
    {
      name: 'result',
      sql: `
      SELECT r.n, a.id, a.name, a."providedId", CASE WHEN a.id IS NULL THEN EXISTS (
        SELECT 1 FROM user_group_token t
        WHERE t.token_hash = r."tokenHash" AND t.workspace_id = :workspaceId AND ${IS_ROTATABLE}) END AS "isCurrent"
      FROM rotated r LEFT JOIN applied a ON a.n = r.n`,
    },
  ],
);

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

/** The steps whose lists have records. `free` has the writes that nothing stands in the way of. */
function stepsOf(dialect: Dialect, has: Has, isCounted: boolean): Step[] {
  const { greatest, isAmong, lockRows, lockFreeRows, lockingOrder, nextId, tryLockShared } =
    dialect;
  const added = has('created') ? '(SELECT count(*) FROM created)' : '0';
  const retired = has('rotated') ? 'rotated' : 'replaced';
  /** Whether the write does not bring a token that was ended since it was planned. */
  const isUnended = (write: string) =>
    has('chosen') ? `${write}.n NOT IN (SELECT n FROM ended_token)` : 'true';
  // A version is replaced after it was recorded, whatever the clock says.
  const replacedAt = `${greatest}(CAST(:now AS bigint), g.updated_at + 1)`;
  const ofApplied = (list: ListName) =>
    `SELECT a.id FROM ${list} r CROSS JOIN applied a WHERE a.n = r.n`;
  const lists = Object.entries(LISTS).map(([name, columns]) => ({
    name,
    columns,
    for: [name],
    // Outermost in each join.
    isInline: ['created', 'issued', 'entries', 'events'].includes(name),
  }));
  const steps: (Step & { for?: readonly string[] })[] = [
    ...lists,
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
      // The lock shows an end that is younger than the statement, and lets the next one wait until the group has the token.
      sql: `
        SELECT c.n FROM chosen c CROSS JOIN former_token p
        WHERE p.workspace_id = :workspaceId AND p.token_hash = c."tokenHash" AND ${isAmong('p.token_hash', 'SELECT "tokenHash" FROM chosen')}
          AND p.ended_at IS NULL AND ${isTokenEnded('p')} IS NOT TRUE ${lockFreeRows('p', 'SHARE')}`,
    },
    {
      name: 'ended_token',
      for: ['chosen'],
      columns: N,
      sql: `
        SELECT c.n FROM chosen c CROSS JOIN former_token p
        WHERE p.workspace_id = :workspaceId AND p.token_hash = c."tokenHash" AND ${isAmong('p.token_hash', 'SELECT "tokenHash" FROM chosen')}
          AND c.n NOT IN (SELECT n FROM unended_token)`,
    },
    {
      name: 'new_group',
      for: ['created'],
      columns: { id: 'integer', providedId: 'text' },
      // Numbers the groups in the given order.
      sql: `
        INSERT INTO user_group (id, workspace_id, created_at, updated_at, ${columnsOf(NEW_GROUP).columns})
        SELECT g."newId", CAST(:workspaceId AS integer), CAST(:now AS bigint), CAST(:now AS bigint),
          ${columnsOf(NEW_GROUP).members}
        FROM (SELECT ${nextId('user_group')} AS "newId", c.* FROM created c CROSS JOIN same_rules) g
        WHERE ${isUnended('g')} ${lockingOrder('"providedId"')}
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
          AND (e.version IS NULL OR g.version = e.version) AND EXISTS (SELECT 1 FROM same_rules) AND ${isUnended('e')}
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
    {
      name: 'replaced_version',
      for: ['changed', 'removed'],
      sql: `
        INSERT INTO user_group_version (user_group_id, version, workspace_id, provided_id, name, properties, mapping,
          suspended_at, valid_until, created_at, recorded_at, replaced_at, tokens)
        SELECT g.id, g.version, g.workspace_id, g.provided_id, g.name, g.properties, ${resolvedMappingColumn(dialect)},
          g.suspended_at, g.valid_until, g.created_at, g.updated_at, ${replacedAt}, ${has('removed') ? tokensOf(dialect, ofApplied('removed')) : 'NULL'}
        FROM user_group g WHERE ${isAmong(
          'g.id',
          (['changed', 'removed'] as const).filter(has).map(ofApplied).join(' UNION ALL '),
        )}`,
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
        UPDATE user_group AS g SET version = g.version + 1, updated_at = ${replacedAt},
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
    { name: 'happened', isView: true, isInline: true, sql: happened(has('rotated')) },
    ...recordingSteps(dialect, 'happened'),
  ];
  return steps.filter((step) => step.for?.some((list) => has(list)) ?? true);
}

/** Selects the events of the writes that are stored, with the members that the statement alone knows. */
function happened(isRotation: boolean): string {
  const ofRotation = (member: string, generation: string) =>
    `CASE WHEN e.action = 'user_group_token.rotate' THEN '{"generation":' || (${generation}) || '}' ELSE e.${member} END`;
  const known: Record<string, string> = {
    workspaceId: 'CAST(:workspaceId AS integer)',
    kind: 'e.action',
    userGroupId: 'a.id',
    changedId: 'coalesce(e."changedId", e."objectId")',
    version: 'coalesce(e.version, a.generation)',
    before: ofRotation('before', 'a.generation - 1'),
    after: ofRotation('after', 'a.generation'),
    details: `'{"team_id":' || a.id || e.details`,
    ...(isRotation && {
      version: `CASE WHEN e.action = 'user_group_token.leaked' THEN a.generation - 1 ELSE a.generation END`,
      objectId: 'coalesce(a."redactedId", a."providedId")',
      changedId: 'a."providedId"',
    }),
  };
  const members = Object.keys(RECORDED).map(
    (name) => `${known[name] ?? `e."${name}"`} AS "${name}"`,
  );
  return `SELECT ${members.join(', ')} FROM events e CROSS JOIN applied a WHERE a.n = e.n ORDER BY e.n, e.k`;
}
