import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.ts';
import type { ChangeRecord } from '../../database/change-reader.ts';
import { toEventView } from '../../event/dto/event-answer.dto.ts';
import { kindsMatching } from '../../event/event-types.ts';
import { EndpointOverflow } from '../endpoint/endpoint-overflow.ts';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository.ts';
import type { NewDelivery } from './webhook-delivery.repository.ts';

const DAY_MS = 86_400_000;
/** The clocks of replicas agree within so much. */
const CLOCK_SKEW_MS = 1000;

/** What is to be stored of a workspace. */
export interface Made {
  deliveries: NewDelivery[];
  /** Endpoints of which events are left out, since too many wait. */
  skipping: number[];
}

/** Makes deliveries of changes: one for each endpoint that asks for it. */
@Injectable()
export class NewDeliveries {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly overflow: EndpointOverflow,
    private readonly config: Config,
  ) {}

  /** Deliveries of what has happened before would be removed at once. */
  get keptSince(): number {
    return Date.now() - this.config.webhookRetentionDays * DAY_MS;
  }

  /** Makes what is to be stored of each workspace. */
  async of(changes: readonly ChangeRecord[]): Promise<Map<number, Made>> {
    const workspaceIds = [...new Set(changes.flatMap(({ workspaceId }) => workspaceId ?? []))];
    if (workspaceIds.length === 0) return new Map();
    // Read after the changes: an endpoint that was there before a change is seen with it.
    const endpoints = await this.endpoints.listOf(workspaceIds);
    const { keptSince } = this;
    const made = new Map<number, Made>(
      workspaceIds.map((id) => [id, { deliveries: [], skipping: [] }]),
    );
    for (const { id, workspaceId, createdAt, eventTypes, skippingSince } of endpoints) {
      const isWanted = kindsMatching(eventTypes.split(' '));
      const since = Math.max(createdAt - CLOCK_SKEW_MS, keptSince);
      const own = changes.filter(
        (change) => change.workspaceId === workspaceId && change.occurredAt >= since,
      );
      // Told to the endpoint whatever it asks for, and however much waits.
      const told = own.filter(
        ({ kind, objectId }) => kind === 'webhook_endpoint.overflow' && objectId === String(id),
      );
      const wanted = own.filter((change) => isWanted(change.kind) && !told.includes(change));
      const isSkipping =
        wanted.length > 0 &&
        (skippingSince !== null || !(await this.overflow.admits(id, wanted.length)));
      const { deliveries, skipping } = made.get(workspaceId)!;
      if (isSkipping) skipping.push(id);
      const sent = isSkipping ? told : [...told, ...wanted];
      deliveries.push(...sent.map((change) => toDelivery(id, change)));
    }
    return made;
  }
}

/** What is sent names what has changed, and holds nothing of it. */
function toDelivery(endpointId: number, change: ChangeRecord): NewDelivery {
  const { id, type, time, ...data } = toEventView(change);
  return {
    endpointId,
    eventId: id,
    kind: type,
    body: JSON.stringify({ type, timestamp: time, data }),
    occurredAt: change.occurredAt,
  };
}
