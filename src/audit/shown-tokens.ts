import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/caller.ts';
import { Transactor } from '../database/transactor.ts';
import { AuditLog, type AuditRecord } from './audit-log.ts';
import { TalliedEvents } from './tallied-events.ts';
import type { Tally } from './tally.ts';

const LIMITS = { windowMs: 3_600_000, keys: 20_000 };

/** How a token got into an answer. */
type Way = 'look_up' | 'write' | 'current_token' | 'repeated_rotation' | 'embed_token' | 'export';

/**
 * Records which API token was shown the tokens of which user groups. It adds neither a wait nor a
 * statement to a look-up: events are written once an hour, one for each API token and group; beyond
 * 20,000 of those, one that counts the remaining tokens by API token.
 */
@Injectable()
export class ShownTokens extends TalliedEvents {
  constructor(transactor: Transactor, auditLog: AuditLog) {
    super(transactor, auditLog, LIMITS);
  }

  /** Counts one shown token of a stored group. */
  record(caller: Caller, way: Way, group: { id: number; providedId: string }): void {
    const tally =
      this.tallyOf(`${ownerOf(caller)}/${group.id}`, () => eventOf(caller, group)) ??
      this.ofNoGroup(caller);
    tally.add(way, caller.address ?? 'unknown', 1);
  }

  /** Counts many at once, without naming their groups. */
  recordMany(caller: Caller, way: Way, count: number): void {
    if (count > 0) this.ofNoGroup(caller).add(way, caller.address ?? 'unknown', count);
  }

  private ofNoGroup(caller: Caller): Tally {
    return this.begin(ownerOf(caller), eventOf(caller));
  }
}

/** The operator has no API token. */
function ownerOf({ workspaceId, apiTokenId }: Caller): string {
  return `${workspaceId}/${apiTokenId}`;
}

function eventOf(
  { workspaceId, apiTokenId }: Caller,
  group?: { id: number; providedId: string },
): AuditRecord {
  return [
    { workspaceId, apiTokenId, requestId: null, address: null },
    {
      action: 'user_group_token.show',
      ...(group && {
        object: { type: 'user_group', id: group.providedId },
        details: { team_id: group.id },
      }),
    },
  ];
}
