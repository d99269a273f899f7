import { textThat } from '../../platform/common/fields.ts';

/** An example of an id. */
export const EVENT_ID_EXAMPLE = 'evt_5377108433215711';
export const EVENT_ID = /^evt_(0|[1-9]\d{0,15})$/;

/** Returns the id of an event in the API: the same in the audit log, the feed and webhooks. */
export function toEventId(publicId: number): string {
  return `evt_${publicId}`;
}

/** Returns the number of an id that `eventIdViolations` has accepted. */
export function fromEventId(text: string): number {
  return Number(text.slice('evt_'.length));
}

export const eventIdViolations = textThat(
  (text) => EVENT_ID.test(text) && Number.isSafeInteger(fromEventId(text)),
  `The event_id must be the id of an event, such as ${EVENT_ID_EXAMPLE}.`,
);
