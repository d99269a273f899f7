import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.ts';
import type { ChangeRecord } from '../../database/change-reader.ts';
import { toEventView } from '../../event/dto/event-answer.dto.ts';
import { kindsMatching } from '../../event/event-types.ts';
import { WebhookEndpointRepository } from '../endpoint/webhook-endpoint.repository.ts';
import type { NewDelivery } from './webhook-delivery.repository.ts';

const DAY_MS = 86_400_000;
/** The clocks of replicas agree within so much. */
const CLOCK_SKEW_MS = 1000;

/** Makes deliveries of changes: one for each endpoint that asks for it. */
@Injectable()
export class NewDeliveries {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly config: Config,
  ) {}

  /** Deliveries of what has happened before would be removed at once. */
  get keptSince(): number {
    return Date.now() - this.config.webhookRetentionDays * DAY_MS;
  }

  /** Returns the deliveries of each workspace. */
  async of(changes: readonly ChangeRecord[]): Promise<Map<number, NewDelivery[]>> {
    const workspaceIds = [...new Set(changes.flatMap(({ workspaceId }) => workspaceId ?? []))];
    if (workspaceIds.length === 0) return new Map();
    // Read after the changes: an endpoint that was there before a change is seen with it.
    const endpoints = await this.endpoints.listOf(workspaceIds);
    const { keptSince } = this;
    const made = new Map<number, NewDelivery[]>(workspaceIds.map((id) => [id, []]));
    for (const { id, workspaceId, createdAt, eventTypes } of endpoints) {
      const isWanted = kindsMatching(eventTypes.split(' '));
      const since = Math.max(createdAt - CLOCK_SKEW_MS, keptSince);
      const wanted = changes.filter(
        (change) =>
          change.workspaceId === workspaceId && change.occurredAt >= since && isWanted(change.kind),
      );
      made.get(workspaceId)!.push(...wanted.map((change) => toDelivery(id, change)));
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
