import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import { toEventId } from '../../../core/audit/event-id.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import { WebhookTestRefused } from '../endpoint/webhook.errors.ts';
import { randomNumber } from '../../../platform/common/secret/random-bytes.ts';
import { currentTime, toWireTime } from '../../../platform/common/time.ts';
import { WebhookSettings } from '../webhook.settings.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository.ts';
import { toWebhookAttemptView, type WebhookTestResponse } from './dto/webhook-attempt.dto.ts';
import { WebhookDeliverer } from './webhook-deliverer.ts';
import { TEST_KIND, WebhookDeliveryRepository } from './webhook-delivery.repository.ts';

/**
 * Sends test events: each to one endpoint, at once, and once. The result changes nothing about the endpoint. No other
 * endpoint and no feed gets the event.
 */
@Injectable()
export class TestEvents {
  /** Endpoints that this process sends a test event to. */
  private readonly running = new Set<number>();

  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly deliverer: WebhookDeliverer,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly settings: WebhookSettings,
    private readonly gate: Gate,
  ) {}

  /**
   * Sends a test event, also to an endpoint that is disabled or pauses, and returns the attempt.
   * @throws WebhookEndpointNotFound, WebhookTestRefused, DatabaseUnavailable
   */
  async send(caller: Caller, id: number): Promise<WebhookTestResponse> {
    const { workspaceId } = caller;
    const found = await this.gate.run(caller, () => this.endpoints.get({ workspaceId, id }));
    if (!this.settings.webhookDelivery) {
      throw new WebhookTestRefused(WebhookTestRefused.spec.detail);
    }
    if (this.running.has(id)) {
      throw new WebhookTestRefused('Another test event to this endpoint is on its way.');
    }
    const slots = this.deliverer.reserve(found);
    if (!slots) {
      throw new WebhookTestRefused(
        'Too many webhooks are on their way; try again in a few seconds.',
      );
    }
    this.running.add(id);
    try {
      const { endpoint, delivery, body } = await this.gate.run(caller, () =>
        this.begin(caller, id),
      );
      // Without a turn at the gate, which a slow endpoint would keep from the other calls of the workspace.
      const { isDelivered, ...made } = await this.deliverer.attemptOnce(endpoint, delivery);
      const attempt = {
        ...made,
        number: 1,
        eventId: delivery.eventId,
        kind: TEST_KIND,
        body,
        dueAt: null,
      };
      const state = isDelivered ? 'delivered' : 'failed';
      return { success: 1, attempt: toWebhookAttemptView({ ...attempt, state }) };
    } finally {
      slots.release();
      this.running.delete(id);
    }
  }

  private begin(caller: Caller, id: number) {
    const now = currentTime();
    const data = { object: { type: 'webhook_endpoint', id: String(id) } };
    const body = JSON.stringify({ type: TEST_KIND, timestamp: toWireTime(now), data });
    const test = {
      endpointId: id,
      eventId: randomNumber(),
      kind: TEST_KIND,
      body,
      occurredAt: now,
    };
    return this.transactor.run(async (manager) => {
      const endpoint = await this.endpoints.lock(manager, { workspaceId: caller.workspaceId, id });
      const delivery = await this.deliveries.insertTest(manager, test);
      await this.auditLog.record(manager, caller, {
        action: 'webhook_endpoint.test',
        object: { type: 'webhook_endpoint', id },
        details: { event_id: toEventId(test.eventId) },
      });
      return { endpoint, delivery, body };
    });
  }
}
