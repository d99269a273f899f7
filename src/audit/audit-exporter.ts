import { Injectable } from '@nestjs/common';
import { type Caller, requireScope } from '../common/caller.ts';
import { Gate } from '../common/gate.ts';
import { WorkspaceSlots } from '../common/workspace-slots.ts';
import { AuditEventService, type EventPosition } from './audit-event.service.ts';
import type { AuditEventView } from './dto/audit-event-answer.dto.ts';
import type { AuditExportDto, AuditExportSummary } from './dto/audit-export.dto.ts';

/** How many exports of one workspace may run at once: each reads its whole log. */
const AT_ONCE = 2;

/** Exports the audit log of a workspace. */
@Injectable()
export class AuditExporter {
  private readonly slots = new WorkspaceSlots(AT_ONCE, 'exports of the workspace');

  constructor(
    private readonly auditEvents: AuditEventService,
    private readonly gate: Gate,
  ) {}

  /**
   * Yields the events that match, newest first, part by part on demand, then a summary. Events that are
   * recorded meanwhile are not among them.
   * @throws TooManyAtOnce
   */
  run(
    caller: Caller,
    filters: AuditExportDto,
  ): AsyncGenerator<(AuditEventView | AuditExportSummary)[]> {
    return this.slots.within(caller, this.read(caller, filters));
  }

  private async *read(
    caller: Caller,
    { api_token_id: apiTokenId, ...filters }: AuditExportDto,
  ): AsyncGenerator<(AuditEventView | AuditExportSummary)[]> {
    const query = {
      ...filters,
      ...(apiTokenId !== undefined && { api_token_id: String(apiTokenId) }),
    };
    let exported = 0;
    for (let after: EventPosition | undefined; ;) {
      // An export can last longer than the API token that it began with.
      requireScope(await caller.renew(), 'audit:read', 'Exporting events');
      const before = after;
      const part = await this.gate.run(caller.workspaceId, () =>
        this.auditEvents.read(caller, query, before),
      );
      exported += part.events.length;
      yield part.events;
      after = part.lookedUntil;
      if (!after) break;
    }
    yield [{ summary: { exported, complete: true } }];
  }
}
