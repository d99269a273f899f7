import {
  EVENT_ID,
  EVENT_ID_EXAMPLE,
  eventIdViolations,
  toEventId,
} from '../../../../core/audit/event-id.ts';
import { SchemaName } from '../../../../platform/common/api-docs.ts';
import {
  CodeOf,
  Flag,
  flagViolations,
  Integer,
  Nested,
  Rule,
  Text,
  Time,
} from '../../../../platform/common/fields.ts';
import {
  page,
  response,
  SuccessResponse,
} from '../../../../platform/common/http/responses/response.ts';
import { PageQueryDto } from '../../../../platform/common/http/parameters/page.dto.ts';
import { Total } from '../../../../platform/common/http/parameters/total.ts';
import { timeViolations, toWireTime, toWireTimeOrNull } from '../../../../platform/common/time.ts';
import type { ListedAttempt } from '../webhook-delivery.repository.ts';

export class WebhookAttemptQueryDto extends PageQueryDto {
  @Text.optional('Only those of one event: the `webhook-id` of its messages.')
  @Rule(eventIdViolations)
  event_id?: string;
}

/** Replays one event, or those of a period. */
export class ReplayWebhooksRequest {
  @Text.optional(
    'The event to send again: the `webhook-id` of its messages. Or give `from`.',
    EVENT_ID_EXAMPLE,
    {
      pattern: EVENT_ID.source,
    },
  )
  @Rule(eventIdViolations)
  event_id?: string;

  @Time.optional('Send events again that happened at this time or later.', '2030-01-01T12:00:00Z')
  @Rule(timeViolations)
  from?: string;

  @Time.optional(
    'With `from`: only events before this time. By default now.',
    '2030-01-01T13:00:00Z',
  )
  @Rule(timeViolations)
  to?: string;

  @Flag.optional('With `from`: include events that have already arrived.', false, {
    default: false,
  })
  @Rule(flagViolations)
  include_delivered?: boolean;

  @Flag.optional('With `from`: sends nothing, and says in `would_replay` how many it would.', false)
  @Rule(flagViolations)
  dry_run?: boolean;
}

@SchemaName('WebhookAttempt')
export class WebhookAttemptView {
  @Text('The event: the `webhook-id` of the message.', EVENT_ID_EXAMPLE)
  event_id!: string;

  @Text('Type of the event, as `noun.verb`.', 'user_group.update')
  type!: string;

  @Text(
    'The body of the message, to the byte.',
    '{"type":"user_group.update","timestamp":"2030-01-01T12:00:00.000Z","data":{}}',
  )
  body!: string;

  @Integer('Number of the attempt: 1 for the first.', 1)
  attempt!: number;

  @Time('When it began.')
  occurred_at!: string;

  @Integer('Duration in ms.', 87)
  duration_ms!: number;

  @Integer.orNull('HTTP status of the response, or null if there was none.', 204)
  status!: number | null;

  @Text.orNull('Reason for no response, as listed on the page Webhooks, or null.', null)
  failure!: string | null;

  @Text.orNull(
    'The first kilobyte of the response, or null if there was none or it is not kept because the endpoint has headers.',
    '',
  )
  response!: string | null;

  @CodeOf(
    ['pending', 'delivered', 'failed'],
    'State of the delivery now: `pending`, `delivered`, or `failed` for good.',
    'delivered',
  )
  delivery!: 'pending' | 'delivered' | 'failed';

  @Time.orNull('Time of the next attempt of the event, or null.', null)
  next_attempt_at!: string | null;
}

export class WebhookAttemptsResponse extends page(
  'attempts',
  WebhookAttemptView,
  'Attempts, the latest first.',
) {}

export class WebhookTestResponse extends response(
  'attempt',
  WebhookAttemptView,
  'The attempt, with its response.',
) {}

export class WebhookReplayResponse extends SuccessResponse {
  @Nested.optional(Total, 'Only with `dry_run`: the events that would be sent again.')
  would_replay?: Total;
}

export function toWebhookAttemptView(attempt: ListedAttempt): WebhookAttemptView {
  return {
    event_id: toEventId(attempt.eventId),
    type: attempt.kind,
    body: attempt.body,
    attempt: attempt.number,
    occurred_at: toWireTime(attempt.at),
    duration_ms: attempt.durationMs,
    status: attempt.status,
    failure: attempt.failure,
    response: attempt.response,
    delivery: attempt.state,
    next_attempt_at: toWireTimeOrNull(attempt.dueAt),
  };
}
