import { wholeNumber } from './fields.ts';

/** The longest overlap of an old token with the new one, in seconds: a day. */
export const MAX_GRACE_SECONDS = 86_400;

export const graceViolations = wholeNumber(0, MAX_GRACE_SECONDS);
