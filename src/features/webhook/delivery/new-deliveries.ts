import { Injectable } from '@nestjs/common';
import { DAY_MS, currentTime } from '../../../platform/common/time.ts';
import type { ChangeRecord } from '../../../core/change-log/change-reader.ts';
import { EventSettings } from '../../event/event.settings.ts';
import { toEventView } from '../../event/feed/dto/event-response.dto.ts';
import { kindsMatching } from '../../../platform/common/globs.ts';
import { EndpointOverflow } from '../endpoint/endpoint-overflow.ts';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository.ts';
import type { NewDelivery } from './webhook-delivery.repository.ts';

/** The clocks of replicas differ by less than this. */
const CLOCK_SKEW_MS = 1000;

export interface MadeDeliveries {
  deliveries: NewDelivery[];
  /** Endpoints with too many pending deliveries; this event is dropped for them. */
  skipping: number[];
}

/** Makes one delivery of each change for each endpoint that subscribes to it. */
@Injectable()
export class NewDeliveries {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly overflow: EndpointOverflow,
    private readonly settings: EventSettings,
  ) {}

  /** Deliveries of older events would be removed at once. */
  get keptSince(): number {
    return currentTime() - this.settings.webhookRetentionDays * DAY_MS;
  }

  async of(changes: readonly ChangeRecord[]): Promise<Map<number, MadeDeliveries>> {
    const workspaceIds = [...new Set(changes.flatMap(({ workspaceId }) => workspaceId ?? []))];
    if (workspaceIds.length === 0) return new Map();
    // Read after the changes: an endpoint that existed before a change is seen with it.
    const endpoints = await this.endpoints.listOf(workspaceIds);
    const [{ keptSince }, now] = [this, currentTime()];
    const made = new Map<number, MadeDeliveries>(
      workspaceIds.map((id) => [id, { deliveries: [], skipping: [] }]),
    );
    for (const { id, workspaceId, createdAt, eventTypes, skippingSince } of endpoints) {
      const isWanted = kindsMatching(eventTypes.split(' '));
      // A time to come is of a clock that was ahead: the endpoint gets all that is not fanned out yet.
      const since =
        createdAt > now + CLOCK_SKEW_MS
          ? keptSince
          : Math.max(createdAt - CLOCK_SKEW_MS, keptSince);
      const own = changes.filter(
        (change) => change.workspaceId === workspaceId && change.occurredAt >= since,
      );
      // Sent to the endpoint regardless of its types and pending deliveries.
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

/** A message names the changed object, and contains no values. */
function toDelivery(endpointId: number, change: ChangeRecord): NewDelivery {
  const { type, occurred_at: timestamp, user_group, object } = toEventView(change);
  return {
    endpointId,
    eventId: change.publicId,
    kind: type,
    body: JSON.stringify({ type, timestamp, data: { user_group, object } }),
    occurredAt: change.occurredAt,
  };
}
