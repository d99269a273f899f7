// Cases that the rule `plain-comments` must report, and cases it must not. A directive that switches
// off nothing fails the lint, so each of them shows that the rule finds the comment below it.

// eslint-disable-next-line local/plain-comments
/** What a group holds. */
export const a = 1;

// eslint-disable-next-line local/plain-comments
/** Holds a group. Who deletes it needs a scope. */
export const b = 2;

/* eslint-disable local/plain-comments */
/**
 * Counts groups.
 * @returns how many there are
 */
/* eslint-enable local/plain-comments */
export const c = 3;

// eslint-disable-next-line local/plain-comments
// Counted in milliseconds, and counted
// anew after a restart.
export const d = 4;

// eslint-disable-next-line local/plain-comments
// One that waits.
export const e = 5;

// eslint-disable-next-line local/plain-comments
// Characters that a terminal obeys.
export const f = 6;

/**
 * One transaction for all groups. Whether a group exists is checked first; `What` it holds
 * is not. As soon as it ends, its locks are released.
 * @returns the number of groups, or null while it is unknown
 */
export const g = 7;
