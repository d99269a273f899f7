import { Injectable } from '@nestjs/common';
import { type Caller, renewFor } from '../../platform/common/access/caller.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { Slots } from '../../platform/common/concurrency/slots.ts';
import { AuditEventService, type EventPosition } from './audit-event.service.ts';
import type { AuditEventView } from './dto/audit-event-response.dto.ts';
import type { ExportAuditEventsRequest, AuditExportSummary } from './dto/audit-export.dto.ts';

/** Concurrent exports per workspace; each reads its whole log. */
const AT_ONCE = 2;

@Injectable()
export class AuditExporter {
  private readonly slots = new Slots('exports');

  constructor(
    private readonly auditEvents: AuditEventService,
    private readonly gate: Gate,
  ) {}

  /**
   * Yields the matching events, newest first, part by part on demand, then a summary. Leaves out events recorded after
   * the start.
   * @throws TooManyAtOnce
   */
  run(
    caller: Caller,
    filters: ExportAuditEventsRequest,
  ): AsyncGenerator<(AuditEventView | AuditExportSummary)[]> {
    return this.slots.within(caller, AT_ONCE, this.read(caller, filters));
  }

  private async *read(
    caller: Caller,
    { api_token_id: apiTokenId, types, ...filters }: ExportAuditEventsRequest,
  ): AsyncGenerator<(AuditEventView | AuditExportSummary)[]> {
    const query = {
      ...filters,
      ...(types && { types: types.join(',') }),
      ...(apiTokenId !== undefined && { api_token_id: String(apiTokenId) }),
    };
    let exported = 0;
    for (let after: EventPosition | undefined; ;) {
      // An export can last longer than the API token that it began with.
      await renewFor(caller, 'audit:read', 'Exporting events');
      const before = after;
      const part = await this.gate.run(caller, () => this.auditEvents.read(caller, query, before));
      exported += part.events.length;
      yield part.events;
      after = part.lookedUntil;
      if (!after) break;
    }
    yield [{ summary: { exported, complete: true } }];
  }
}
