import { RECORDED, recordingSteps } from '../../audit/audit-log.ts';
import type { Dialect } from '../../../platform/database/dialect.ts';
import { type Has, statement, type Step } from '../../../platform/database/statement.ts';
import { claimSteps, IS_ROTATABLE, type WriteStep } from './write-claims.ts';
import { effectSteps } from './write-effects.ts';
import { type ListName, LISTS, type WriteParameters } from './write-records.ts';

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

/** The steps whose lists have records. */
function stepsOf(dialect: Dialect, has: Has, isCounted: boolean): Step[] {
  const lists = Object.entries(LISTS).map(([name, columns]) => ({
    name,
    columns,
    for: [name as ListName],
    // Outermost in each join.
    isInline: ['created', 'issued', 'entries', 'events'].includes(name),
  }));
  const steps: WriteStep[] = [
    ...lists,
    ...claimSteps(dialect, has, isCounted),
    ...effectSteps(dialect, has, isCounted),
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
    previousId: 'CAST(NULL AS text)',
    version: 'coalesce(e.version, a.generation)',
    before: ofRotation('before', 'a.generation - 1'),
    after: ofRotation('after', 'a.generation'),
    details: `'{"team_id":' || a.id || coalesce(',"version":' || e.version, '') || e.details`,
    ...(isRotation && {
      details: `'{"team_id":' || a.id || CASE WHEN e.action = 'user_group_token.leaked' THEN ',"generation":' || (a.generation - 1) ELSE '' END || e.details`,
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
