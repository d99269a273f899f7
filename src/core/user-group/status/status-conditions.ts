import { isTokenEnded } from '../token/user-group-token.repository.ts';
import type { GroupStatus } from './user-group-status.ts';

const IS_OPEN =
  'g.suspended_at IS NULL AND (g.valid_until IS NULL OR g.valid_until > CAST(:now AS bigint))';

/**
 * Tells of the group with the alias `g` whether its current token was ended together with others; never null. It reads
 * no token if the workspace has ended none.
 */
export const LACKS_VALID_TOKEN = `CASE
  WHEN (SELECT w.tokens_epoch > 0 OR w.tokens_ended_before IS NOT NULL FROM workspace w WHERE w.id = :workspaceId)
  THEN coalesce((
    SELECT ${isTokenEnded('c')} FROM user_group_token c WHERE c.user_group_id = g.id AND c.retired_at IS NULL), false)
  ELSE false END`;

/**
 * The decisions of `statusOf` as conditions on the group with the alias `g` of the workspace `:workspaceId`; `:now` is in
 * milliseconds since 1970.
 */
export const statusConditions: Record<GroupStatus, string> = {
  suspended: 'g.suspended_at IS NOT NULL',
  expired: 'g.suspended_at IS NULL AND g.valid_until <= CAST(:now AS bigint)',
  incomplete: `${IS_OPEN} AND g.flaw = 'incomplete'`,
  no_valid_token: `${IS_OPEN} AND (g.flaw IS NULL OR g.flaw <> 'incomplete') AND ${LACKS_VALID_TOKEN}`,
  unresolved: `${IS_OPEN} AND g.flaw = 'unresolved' AND NOT ${LACKS_VALID_TOKEN}`,
  active: `${IS_OPEN} AND g.flaw IS NULL AND NOT ${LACKS_VALID_TOKEN}`,
};

/** Conditions that an index in order of creation has, and that every group which passes the filter meets. */
export const narrowings = {
  suspended: 'g.suspended_at IS NOT NULL',
  expired: 'g.valid_until IS NOT NULL',
  ends: 'g.valid_until IS NOT NULL',
  incomplete: "g.flaw = 'incomplete'",
  unresolved: "g.flaw = 'unresolved'",
};
