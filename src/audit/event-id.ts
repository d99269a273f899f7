import type { Violation } from '../common/problem/violation.ts';

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

export function eventIdViolations(value: unknown, pointer: string): Violation[] {
  const detail = `The event_id must be the id of an event, such as ${EVENT_ID_EXAMPLE}.`;
  if (typeof value !== 'string') return [{ pointer, code: 'type', detail }];
  const isId = EVENT_ID.test(value) && Number.isSafeInteger(fromEventId(value));
  return isId ? [] : [{ pointer, code: 'not_acceptable', detail }];
}
