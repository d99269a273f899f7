import { Injectable } from '@nestjs/common';
import { addressBlock } from '../common/http/client-address.ts';
import { Transactor } from '../database/transactor.ts';
import { type AuditActor, type AuditEntry, AuditLog } from './audit-log.ts';
import { TalliedEvents } from './tallied-events.ts';

const LIMITS = { windowMs: 60_000, keys: 50 };

/**
 * Records refused calls that belong to no workspace: one event a minute, with the details of the
 * first such call and the count of all; and one for each person whom an identity provider has named, up to
 * 50 a minute.
 */
@Injectable()
export class StrangerRefusals extends TalliedEvents {
  constructor(transactor: Transactor, auditLog: AuditLog) {
    super(transactor, auditLog, LIMITS);
  }

  /** @param subject the person, where it is known */
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
