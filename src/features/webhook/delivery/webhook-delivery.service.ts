import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import { fromEventId } from '../../../core/audit/event-id.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import { WebhookEventNotFound } from '../endpoint/webhook.errors.ts';
import { currentTime, fromWireTime } from '../../../platform/common/time.ts';
import { IdempotentCalls } from '../../../core/idempotency/idempotent-calls.ts';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository.ts';
import {
  type WebhookReplayResponse,
  type ReplayWebhooksRequest,
  toWebhookAttemptView,
  type WebhookAttemptQueryDto,
  type WebhookAttemptsResponse,
} from './dto/webhook-attempt.dto.ts';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.ts';
import { WebhookReplays } from './webhook-replays.ts';

@Injectable()
export class WebhookDeliveryService {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly replays: WebhookReplays,
    private readonly auditLog: AuditLog,
    private readonly calls: IdempotentCalls,
  ) {}

  /** Lists one page of the attempts at an endpoint, the latest first. @throws WebhookEndpointNotFound */
  async listAttempts(
    { workspaceId }: Caller,
    id: number,
    query: WebhookAttemptQueryDto,
  ): Promise<WebhookAttemptsResponse> {
    await this.endpoints.get({ workspaceId, id });
    const eventId = query.event_id === undefined ? undefined : fromEventId(query.event_id);
    const { rows, ...next } = await this.deliveries.listAttempts(id, eventId, query);
    return { success: 1, attempts: rows.map(toWebhookAttemptView), ...next };
  }

  /**
   * Makes one event due now, or the events of a period in the background, on a new schedule. Pending retries are due
   * then, too.
   * @throws WebhookEndpointNotFound, WebhookEventNotFound, WebhookReplayRunning, ValidationFailed
   */
  async replay(
    caller: Caller,
    id: number,
    dto: ReplayWebhooksRequest,
    key?: string,
  ): Promise<WebhookReplayResponse> {
    const { event_id, from, to, include_delivered: includeDelivered = false } = dto;
    requireOneWay(dto);
    await this.endpoints.get({ workspaceId: caller.workspaceId, id });
    const time = () => ({
      endpointId: id,
      from: fromWireTime(from!),
      to: to === undefined ? currentTime() : fromWireTime(to),
      includeDelivered,
    });
    if (dto.dry_run) return { success: 1, would_replay: await this.replays.count(time()) };
    const request = ['webhook_endpoint.replay', id, { event_id, from, to, includeDelivered }];
    return this.calls.run(caller, { key, request }, async (manager) => {
      if (event_id !== undefined) await this.replayOne(manager, caller, id, event_id);
      else await this.replays.begin(manager, caller, time());
      return { success: 1 };
    });
  }

  private async replayOne(
    manager: EntityManager,
    caller: Caller,
    id: number,
    event_id: string,
  ): Promise<void> {
    const isThere = await this.deliveries.replay(manager, id, fromEventId(event_id));
    if (!isThere) throw new WebhookEventNotFound();
    await this.auditLog.record(manager, caller, {
      action: 'webhook_endpoint.replay',
      object: { type: 'webhook_endpoint', id },
      details: { event_id, replayed: 1 },
    });
  }
}

/** @throws ValidationFailed unless the body names one event, or a period */
function requireOneWay({
  event_id,
  from,
  to,
  include_delivered,
  dry_run,
}: ReplayWebhooksRequest): void {
  const refuse = (pointer: string, code: 'required' | 'not_acceptable', detail: string): never => {
    throw new ValidationFailed([{ pointer, code, detail }]);
  };
  if (event_id === undefined && from === undefined) {
    refuse('/from', 'required', 'Either event_id or from is required.');
  }
  const others = { from, to, include_delivered, dry_run };
  const [extra] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (event_id !== undefined && extra !== undefined) {
    refuse(`/${extra}`, 'not_acceptable', 'With event_id there is neither a time nor a filter.');
  }
  if (from !== undefined && to !== undefined && fromWireTime(to) <= fromWireTime(from)) {
    refuse('/to', 'not_acceptable', 'The time to must be later than from.');
  }
}
