import { type InactiveReason, isEndedTogether } from '../token/token-validity.ts';

/** A generation of a token with its times; those after the time that is asked for do not count. */
export interface PastToken {
  generation: number;
  lastFour: string;
  epoch: number;
  createdAt: number;
  retiredAt: number | null;
  validUntil: number | null;
  revokedAt: number | null;
}

type StoredToken = [
  generation: number,
  lastFour: string,
  epoch: number,
  createdAt: number,
  retiredAt: number | null,
  validUntil: number | null,
  revokedAt: number | null,
];

/** Parses the tokens of a deleted group. */
export function parseTokens(text: string): PastToken[] {
  return (JSON.parse(text) as StoredToken[]).map(
    ([generation, lastFour, epoch, createdAt, retiredAt, validUntil, revokedAt]) => {
      return { generation, lastFour, epoch, createdAt, retiredAt, validUntil, revokedAt };
    },
  );
}

/** Returns the generation that was current at a time, and the one before it: no other can have been valid. */
export function tokensAt(tokens: readonly PastToken[], at: number): PastToken[] {
  const issued = tokens.filter(({ createdAt }) => createdAt <= at);
  return issued.sort((a, b) => b.generation - a.generation).slice(0, 2);
}

/**
 * Returns why one of `tokensAt` was not valid at the time; null if it was.
 * @param ofGroup why no token of the group was
 */
export function pastReasonOf(
  token: PastToken,
  at: number,
  {
    ended,
    ofGroup,
  }: { ended: Parameters<typeof isEndedTogether>[1]; ofGroup: InactiveReason | null },
): InactiveReason | null {
  const { retiredAt, validUntil, revokedAt } = token;
  if (retiredAt !== null && retiredAt <= at) {
    if (revokedAt !== null && revokedAt <= at) return 'revoked';
    if (validUntil === null) return 'superseded';
    if (validUntil <= at) return 'overlap_expired';
  }
  return isEndedTogether(token, ended) ? 'tokens_ended' : ofGroup;
}
