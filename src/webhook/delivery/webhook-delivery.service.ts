import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.ts';
import type { Caller } from '../../common/caller.ts';
import { ValidationFailed, WebhookEventNotFound } from '../../common/errors.ts';
import { limitOf, positionOf, toPage } from '../../common/http/page.dto.ts';
import { fromWireTime } from '../../common/time.ts';
import { Transactor } from '../../database/transactor.ts';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository.ts';
import {
  fromEventId,
  type ReplayedWebhooksAnswer,
  type ReplayWebhooksDto,
  toWebhookAttemptView,
  type WebhookAttemptQueryDto,
  type WebhookAttemptsAnswer,
} from './dto/webhook-attempt.dto.ts';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.ts';
import { WebhookReplays } from './webhook-replays.ts';

/** Tells what became of deliveries, and sends them again. */
@Injectable()
export class WebhookDeliveryService {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly replays: WebhookReplays,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /** Lists one page of the attempts at an endpoint, the latest first. @throws WebhookEndpointNotFound */
  async listAttempts(
    { workspaceId }: Caller,
    id: number,
    query: WebhookAttemptQueryDto,
  ): Promise<WebhookAttemptsAnswer> {
    const limit = limitOf(query);
    const before = positionOf(query, 3);
    await this.endpoints.get({ workspaceId, id });
    const eventId = query.event_id === undefined ? undefined : fromEventId(query.event_id);
    const found = await this.deliveries.listAttempts(id, { eventId, before }, limit + 1);
    const { rows, nextCursor } = toPage(found, limit, (attempt) => [
      attempt.at,
      attempt.eventId,
      attempt.number,
    ]);
    return {
      success: 1,
      attempts: rows.map(toWebhookAttemptView),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  /**
   * Makes one event due now, or those of a time in the background, on a new schedule. What waits for its next
   * attempt is due then, too.
   * @throws WebhookEndpointNotFound, WebhookEventNotFound, WebhookReplayRunning, ValidationFailed
   */
  async replay(
    caller: Caller,
    id: number,
    dto: ReplayWebhooksDto,
  ): Promise<ReplayedWebhooksAnswer> {
    const { event_id, since, until, include_delivered: includeDelivered = false } = dto;
    requireOneWay(dto);
    await this.endpoints.get({ workspaceId: caller.workspaceId, id });
    if (event_id !== undefined) await this.replayOne(caller, id, event_id);
    else {
      await this.replays.begin(caller, {
        endpointId: id,
        since: fromWireTime(since!),
        until: until === undefined ? Date.now() : fromWireTime(until),
        includeDelivered,
      });
    }
    return { success: 1 };
  }

  private async replayOne(caller: Caller, id: number, event_id: string): Promise<void> {
    await this.transactor.run(async (manager) => {
      const isThere = await this.deliveries.replay(manager, id, fromEventId(event_id));
      if (!isThere) throw new WebhookEventNotFound();
      this.auditLog.record(manager, caller, {
        action: 'webhook_endpoint.replay',
        object: { type: 'webhook_endpoint', id },
        details: { event_id, replayed: 1 },
      });
    });
  }
}

/** @throws ValidationFailed unless the body names one event, or a time */
function requireOneWay({ event_id, since, until, include_delivered }: ReplayWebhooksDto): void {
  const refuse = (pointer: string, code: 'required' | 'not_acceptable', detail: string): never => {
    throw new ValidationFailed([{ pointer, code, detail }]);
  };
  if (event_id === undefined && since === undefined) {
    refuse('/since', 'required', 'Either event_id or since is required.');
  }
  const others = { since, until, include_delivered };
  const [extra] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (event_id !== undefined && extra !== undefined) {
    refuse(`/${extra}`, 'not_acceptable', 'With event_id there is neither a time nor a filter.');
  }
  if (since !== undefined && until !== undefined && fromWireTime(until) <= fromWireTime(since)) {
    refuse('/until', 'not_acceptable', 'The time until must be later than since.');
  }
}
