import type { StoredSession } from './console-session.repository.ts';

/** What of a session says how long it lasts. */
type Life = Pick<StoredSession, 'lastUsedAt' | 'expiresAt' | 'tokenExpiresAt' | 'tokenRevokedAt'>;

/** How long a session lasts that nobody uses. */
export const IDLE_MS = 30 * 60_000;
/** How long a session lasts at most. */
export const LIFE_MS = 12 * 3_600_000;

/** When the session ends however much it is used; its API token may end before. In milliseconds since 1970. */
export function endOf({ expiresAt, tokenExpiresAt }: Life): number {
  return Math.min(expiresAt, tokenExpiresAt ?? Infinity);
}

/** When it ends unless it is used. */
export function idleEndOf(session: Life): number {
  return Math.min(session.lastUsedAt + IDLE_MS, endOf(session));
}

/** Whether it opens anything: it is neither over nor is its API token. */
export function isAlive(session: Life): boolean {
  return session.tokenRevokedAt === null && idleEndOf(session) > Date.now();
}
