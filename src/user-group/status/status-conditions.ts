import type { GroupStatus } from './user-group-status.ts';

const IS_OPEN = 'g.suspended_at IS NULL AND (g.valid_until IS NULL OR g.valid_until > CAST(:now AS bigint))';

/** The decisions of `statusOf` as conditions on the group with the alias `g`; `:now` is in milliseconds since 1970. */
export const statusConditions: Record<GroupStatus, string> = {
  suspended: 'g.suspended_at IS NOT NULL',
  expired: 'g.suspended_at IS NULL AND g.valid_until <= CAST(:now AS bigint)',
  incomplete: `${IS_OPEN} AND g.flaw = 'incomplete'`,
  unresolved: `${IS_OPEN} AND g.flaw = 'unresolved'`,
  active: `${IS_OPEN} AND g.flaw IS NULL`,
};

/** Conditions that an index in order of creation has, and that every group which passes the filter meets. */
export const narrowings = {
  suspended: 'g.suspended_at IS NOT NULL',
  expired: 'g.valid_until IS NOT NULL',
  ends: 'g.valid_until IS NOT NULL',
  incomplete: "g.flaw = 'incomplete'",
  unresolved: "g.flaw = 'unresolved'",
};
