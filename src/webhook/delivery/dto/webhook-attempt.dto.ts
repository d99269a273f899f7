import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { NEXT_CURSOR, SUCCESS } from '../../../common/http/answer-fields.ts';
import { PageQueryDto } from '../../../common/http/page.dto.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import { timeViolations, toWireTime, toWireTimeOrNull } from '../../../common/time.ts';
import type { Violation } from '../../../common/violation.ts';
import type { ListedAttempt } from '../webhook-delivery.repository.ts';

const EVENT_ID = /^evt_(0|[1-9]\d{0,15})$/;

/** The query of the list of attempts. */
export class WebhookAttemptQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    description: 'Those of one event alone: the `webhook-id` of its messages.',
  })
  @Obeys(eventIdViolations)
  event_id?: string;
}

/** The body that replays one event, or those of a time. */
export class ReplayWebhooksDto {
  @ApiPropertyOptional({
    description: 'The event to send again: the `webhook-id` of its messages. Or give `since`.',
    pattern: EVENT_ID.source,
    example: 'evt_5377108433215711',
  })
  @Obeys(eventIdViolations)
  event_id?: string;

  @ApiPropertyOptional({
    description: 'Send again what has happened from then on.',
    format: 'date-time',
    example: '2030-01-01T12:00:00Z',
  })
  @Obeys(timeViolations)
  since?: string;

  @ApiPropertyOptional({
    description: 'With `since`: what has happened before. Absent: until now.',
    format: 'date-time',
    example: '2030-01-01T13:00:00Z',
  })
  @Obeys(timeViolations)
  until?: string;

  @ApiPropertyOptional({
    description: 'With `since`: also what has arrived already.',
    type: Boolean,
    default: false,
    example: false,
  })
  @Obeys(booleanViolations)
  include_delivered?: boolean;
}

/** One attempt to send an event to an endpoint. */
export class WebhookAttemptView {
  @ApiProperty({
    description: 'The event: the `webhook-id` of the message.',
    example: 'evt_5377108433215711',
  })
  event_id!: string;

  @ApiProperty({ description: 'What has happened.', example: 'user_group.update' })
  type!: string;

  @ApiProperty({
    description: 'Which attempt it was: 1 for the first.',
    type: 'integer',
    example: 1,
  })
  attempt!: number;

  @ApiProperty({
    description: 'When it began.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  time!: string;

  @ApiProperty({ description: 'How long it took, in ms.', type: 'integer', example: 87 })
  duration_ms!: number;

  @ApiProperty({
    description: 'The status of the answer; null: there was none.',
    type: 'integer',
    nullable: true,
    example: 204,
  })
  status!: number | null;

  @ApiProperty({
    description: 'Why there was no answer; docs/webhooks.md tells each. Null: there was one.',
    type: String,
    nullable: true,
    example: null,
  })
  failure!: string | null;

  @ApiProperty({
    description:
      'The first kilobyte of the answer; null: there was none, or it is not kept because the endpoint has headers.',
    type: String,
    nullable: true,
    example: '',
  })
  answer!: string | null;

  @ApiProperty({
    description: 'What has become of the event since: `pending`, `delivered` or `failed` for good.',
    enum: ['pending', 'delivered', 'failed'],
    example: 'delivered',
  })
  delivery!: 'pending' | 'delivered' | 'failed';

  @ApiProperty({
    description: 'When the next attempt of the event is due; null: there is none.',
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
  })
  next_attempt_at!: string | null;
}

export class WebhookAttemptsAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'Attempts, the latest first.', type: () => [WebhookAttemptView] })
  attempts!: WebhookAttemptView[];

  @ApiPropertyOptional(NEXT_CURSOR)
  next_cursor?: string;
}

export class ReplayedWebhooksAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;
}

export function toWebhookAttemptView(attempt: ListedAttempt): WebhookAttemptView {
  return {
    event_id: toEventId(attempt.eventId),
    type: attempt.kind,
    attempt: attempt.number,
    time: toWireTime(attempt.at),
    duration_ms: attempt.durationMs,
    status: attempt.status,
    failure: attempt.failure,
    answer: attempt.answer,
    delivery: attempt.state,
    next_attempt_at: toWireTimeOrNull(attempt.dueAt),
  };
}

/** The `webhook-id` of an event. */
export function toEventId(eventId: number): string {
  return `evt_${eventId}`;
}

/** The number of an event whose `webhook-id` `eventIdViolations` has accepted. */
export function fromEventId(text: string): number {
  return Number(text.slice('evt_'.length));
}

function eventIdViolations(value: unknown, pointer: string): Violation[] {
  const detail = 'The event_id must be the webhook-id of a message, such as evt_5377108433215711.';
  if (typeof value !== 'string') return [{ pointer, code: 'type', detail }];
  const isId = EVENT_ID.test(value) && Number.isSafeInteger(fromEventId(value));
  return isId ? [] : [{ pointer, code: 'not_acceptable', detail }];
}

function booleanViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'boolean') return [];
  return [{ pointer, code: 'type', detail: 'The value must be true or false.' }];
}
