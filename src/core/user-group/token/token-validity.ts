import { currentTime } from '../../../platform/common/time.ts';
import type { EndedTogether, TokenGeneration } from './user-group-token.repository.ts';

/*
 * A user-group token can be introspected while its group is neither suspended, expired nor incomplete, it was not ended
 * together with others, and it is the current generation or, until its overlap ends, the predecessor of the current one.
 */

export const tokenStates = ['current', 'overlap', 'replaced', 'revoked'] as const;
export type TokenState = (typeof tokenStates)[number];

/** Reasons why a token is not active. */
export const inactiveReasons = [
  'superseded',
  'overlap_expired',
  'revoked',
  'group_suspended',
  'group_expired',
  'group_incomplete',
  'tokens_ended',
] as const;
export type InactiveReason = (typeof inactiveReasons)[number];

/** The state of a group that can make all its tokens inactive. */
export interface GroupValidity {
  suspendedAt: number | null;
  validUntil: number | null;
  isIncomplete: boolean;
}

export const VALID_GROUP: GroupValidity = {
  suspendedAt: null,
  validUntil: null,
  isIncomplete: false,
};

/** Tells whether a token was ended together with others, which nothing revokes. */
export function isEndedTogether(
  token: { createdAt: number; epoch: number },
  { tokensEpoch, tokensEndedBefore }: Pick<EndedTogether, 'tokensEpoch' | 'tokensEndedBefore'>,
): boolean {
  return token.epoch < tokensEpoch || token.createdAt < (tokensEndedBefore ?? 0);
}

/**
 * Tells whether a token is valid now. Call it for each response: the clock may have ended the token since it was read.
 * @param token the current generation, whose `validUntil` is null, or its predecessor
 */
export function isValid(
  group: GroupValidity & { workspace: EndedTogether },
  token: { createdAt: number; epoch: number; validUntil: number | null },
): boolean {
  if (groupReason(group) !== null || isEndedTogether(token, group.workspace)) return false;
  return token.validUntil === null || token.validUntil > currentTime();
}

export function stateOf(token: TokenGeneration): TokenState {
  if (token.retiredAt === null) return 'current';
  if (token.revokedAt !== null) return 'revoked';
  return (overlapEndOf(token) ?? 0) > currentTime() ? 'overlap' : 'replaced';
}

/** Returns the end of the overlap of a retired generation; null if it has none: the next rotation ends every overlap. */
export function overlapEndOf({ validUntil, successorRetiredAt }: TokenGeneration): number | null {
  return successorRetiredAt === null ? validUntil : null;
}

/** Returns why a token is not valid now; null if it is. */
export function inactiveReasonOf(
  token: TokenGeneration,
  group: GroupValidity,
): InactiveReason | null {
  if (!['current', 'overlap'].includes(stateOf(token))) return endOf(token);
  return token.isEndedTogether ? 'tokens_ended' : groupReason(group);
}

function groupReason({
  suspendedAt,
  validUntil,
  isIncomplete,
}: GroupValidity): InactiveReason | null {
  if (suspendedAt !== null) return 'group_suspended';
  if (validUntil !== null && validUntil <= currentTime()) return 'group_expired';
  return isIncomplete ? 'group_incomplete' : null;
}

/** Returns the reason why a token has ended permanently. */
function endOf({ revokedAt, validUntil, successorRetiredAt }: TokenGeneration): InactiveReason {
  if (revokedAt !== null) return 'revoked';
  if (validUntil === null) return 'superseded';
  return validUntil <= (successorRetiredAt ?? Infinity) ? 'overlap_expired' : 'superseded';
}
