import type { StoredSession } from './console-session.repository.ts';
import { HOUR_MS, MINUTE_MS } from '../../common/time.ts';
import { Injectable } from '@nestjs/common';
import { ExpirySweep, removeOldest } from '../../database/upkeep/expiry-sweep.ts';

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
  return session.tokenRevokedAt === null && idleEndOf(session) > Date.now();
}

@Injectable()
export class ConsoleSessionExpiry extends ExpirySweep {
  /** Finds all ended sessions, for whatever reason they ended, because none of them is used any more. */
  protected readonly removeExpired = removeOldest('console_session', 'last_used_at', 'id');
  protected override readonly retentionMs = IDLE_MS;
}
