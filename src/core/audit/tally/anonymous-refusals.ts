import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../../platform/common/time.ts';
import { addressBlock } from '../../../platform/common/http/parameters/client-address.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { type AuditActor, type AuditEntry, AuditLog } from '../audit-log.ts';
import { TalliedEvents } from './tallied-events.ts';

const LIMITS = { windowMs: MINUTE_MS, keys: 50 };

/**
 * Records refused calls without a workspace: one event a minute, with the details of the first call and the count of
 * all; and one event per person identified by an identity provider, up to 50 a minute.
 */
@Injectable()
export class AnonymousRefusals extends TalliedEvents {
  constructor(transactor: Transactor, auditLog: AuditLog) {
    super(transactor, auditLog, LIMITS);
  }

  /** @param subject the person, if known */
  record(code: string, actor: AuditActor, entry: AuditEntry, subject?: string): void {
    const ofPerson =
      subject === undefined
        ? undefined
        : this.tallyOf(subject, () => [actor, named(entry, subject)]);
    const tally =
      ofPerson ?? this.tallyOf('', () => [actor, entry]) ?? this.begin('', [actor, entry]);
    tally.add(code, addressBlock(actor.address ?? undefined), 1);
  }
}

function named(entry: AuditEntry, subject: string): AuditEntry {
  return { ...entry, details: { ...entry.details, subject } };
}
