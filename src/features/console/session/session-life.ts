import type { StoredSession } from './console-session.repository.ts';
import { HOUR_MS, MINUTE_MS, currentTime } from '../../../platform/common/time.ts';
import { Injectable } from '@nestjs/common';
import { ExpirySweep, removeOldest } from '../../../platform/database/upkeep/expiry-sweep.ts';

type Life = Pick<StoredSession, 'lastUsedAt' | 'expiresAt' | 'tokenExpiresAt' | 'tokenRevokedAt'>;

/** Maximum time without use. */
export const IDLE_MS = 30 * MINUTE_MS;
/** Maximum time, even with use. */
export const LIFE_MS = 12 * HOUR_MS;

/** Returns the end regardless of use; the API token may end before. */
export function endOf({ expiresAt, tokenExpiresAt }: Life): number {
  return Math.min(expiresAt, tokenExpiresAt ?? Infinity);
}

export function idleEndOf(session: Life): number {
  return Math.min(session.lastUsedAt + IDLE_MS, endOf(session));
}

export function isAlive(session: Life): boolean {
  return session.tokenRevokedAt === null && idleEndOf(session) > currentTime();
}

/** Says why a session has ended; one that is no longer stored was signed out or ended by a person. */
export function endedBecause(session: Life | undefined, now = currentTime()): string {
  if (!session) return 'The session was signed out, or ended by a person.';
  if (session.tokenRevokedAt !== null) return 'The API token of this session was revoked.';
  if ((session.tokenExpiresAt ?? Infinity) <= now) {
    return 'The API token of this session has expired.';
  }
  if (session.expiresAt <= now) return 'The session ended after 12 hours.';
  return 'The session ended after 30 minutes without use.';
}

@Injectable()
export class ConsoleSessionExpiry extends ExpirySweep {
  /** Finds all ended sessions, for whatever reason they ended, because none of them is used any more. */
  protected readonly removeExpired = removeOldest('console_session', 'last_used_at', 'id');
  protected override readonly retentionMs = IDLE_MS;
}
