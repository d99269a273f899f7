import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../../platform/common/time.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { AuditLog, type AuditRecord } from '../audit-log.ts';
import { TalliedEvents } from './tallied-events.ts';
import { Tally } from './tally.ts';

const LIMITS = { windowMs: HOUR_MS, keys: 20_000 };

type Channel =
  'look_up' | 'write' | 'current_token' | 'repeated_rotation' | 'embed_token' | 'export';

/**
 * Records which API token read which groups' tokens. Adds neither a wait nor a statement to a look-up by a program: events
 * are written once an hour, one per API token and group. Beyond 20,000 of those, one event counts the remaining tokens by API token.
 */
@Injectable()
export class TokenDisclosures extends TalliedEvents {
  constructor(transactor: Transactor, auditLog: AuditLog) {
    super(transactor, auditLog, LIMITS);
  }

  record(caller: Caller, channel: Channel, group: { id: number; providedId: string }): void {
    const tally =
      this.tallyOf(`${ownerOf(caller)}/${group.id}`, () => eventOf(caller, group)) ??
      this.ofNoGroup(caller);
    tally.add(channel, caller.address ?? 'unknown', 1);
  }

  /** Records at once what a person is about to see; counts it otherwise. @throws AuditUnavailable, DatabaseUnavailable */
  async recordSeen(
    caller: Caller,
    channel: Channel,
    group: { id: number; providedId: string },
  ): Promise<void> {
    if (!caller.isPerson) {
      this.record(caller, channel, group);
      return;
    }
    const tally = new Tally();
    tally.add(channel, caller.address ?? 'unknown', 1);
    const [, entry] = eventOf(caller, group);
    await this.recordNow([caller, entry], tally);
  }

  /** Counts many at once, without naming their groups. */
  recordMany(caller: Caller, channel: Channel, count: number): void {
    if (count > 0) this.ofNoGroup(caller).add(channel, caller.address ?? 'unknown', count);
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
