import { Injectable } from '@nestjs/common';
import { addressBlock } from '../common/http/client-address.ts';
import { Transactor } from '../database/transactor.ts';
import { type AuditActor, type AuditEntry, AuditLog } from './audit-log.ts';
import { TalliedEvents } from './tallied-events.ts';

const LIMITS = { windowMs: 60_000, keys: 1 };

/**
 * Records refused calls that belong to no workspace: one event a minute, with the details of the
 * first such call and the count of all.
 */
@Injectable()
export class StrangerRefusals extends TalliedEvents {
  constructor(transactor: Transactor, auditLog: AuditLog) {
    super(transactor, auditLog, LIMITS);
  }

  record(code: string, actor: AuditActor, entry: AuditEntry): void {
    const tally = this.tallyOf('strangers', () => [actor, entry]);
    tally?.add(code, addressBlock(actor.address ?? undefined), 1);
  }
}
