import type { TokenGeneration } from './user-group-token.repository.ts';

/*
 * A user-group token can be introspected while its group is neither suspended nor incomplete, and it is the current
 * generation or, until its overlap ends, the predecessor of the current one.
 */

export const tokenStates = ['current', 'overlap', 'ended'] as const;
export type TokenState = (typeof tokenStates)[number];

/** Reasons why a token is not active. */
export const inactiveReasons = [
  'superseded',
  'overlap_expired',
  'revoked',
  'group_suspended',
  'group_incomplete',
] as const;
export type InactiveReason = (typeof inactiveReasons)[number];

/**
 * Tells whether a token is valid now. Call it for each response: the clock may have ended the token since it was read.
 * @param token the current generation, whose `validUntil` is null, or its predecessor
 */
export function isValid(
  group: { isSuspended: boolean; isComplete: boolean },
  token: { validUntil: number | null },
): boolean {
  if (group.isSuspended || !group.isComplete) return false;
  return token.validUntil === null || token.validUntil > Date.now();
}

export function stateOf(token: TokenGeneration): TokenState {
  if (token.retiredAt === null) return 'current';
  return (overlapEndOf(token) ?? 0) > Date.now() ? 'overlap' : 'ended';
}

/** Returns the end of the overlap of a retired generation; null if it has none: the next rotation ends every overlap. */
export function overlapEndOf({ validUntil, successorRetiredAt }: TokenGeneration): number | null {
  return successorRetiredAt === null ? validUntil : null;
}

/**
 * Returns why a token is not valid now; null if it is.
 * @param isGroupComplete whether the group meets all requirements of its workspace
 */
export function inactiveReasonOf(token: TokenGeneration, isGroupComplete: boolean): InactiveReason | null {
  if (stateOf(token) === 'ended') return endOf(token);
  if (token.groupSuspendedAt !== null) return 'group_suspended';
  return isGroupComplete ? null : 'group_incomplete';
}

/** Returns the reason why a token has ended permanently. */
function endOf({ revokedAt, validUntil, successorRetiredAt }: TokenGeneration): InactiveReason {
  if (revokedAt !== null) return 'revoked';
  if (validUntil === null) return 'superseded';
  return validUntil <= (successorRetiredAt ?? Infinity) ? 'overlap_expired' : 'superseded';
}
