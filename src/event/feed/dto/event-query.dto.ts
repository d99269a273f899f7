import { Integer, Rule, Text } from '../../../common/fields.ts';
import type { Violation } from '../../../common/problem/violation.ts';
import { typesViolations } from '../event-types.ts';

/** The cursor after all events so far. */
export const LATEST = 'latest';

const MAX_CURSOR_LENGTH = 8000;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_WAIT = 30;

class TypesQueryDto {
  @Text.optional(
    'Only events of these types, separated by commas, where `*` stands for any characters: `user_group.update`, `user_group.*`.',
  )
  @Rule(typesViolations)
  types?: string;
}

export class EventQueryDto extends TypesQueryDto {
  @Text.optional(
    '`next_cursor` of the previous response, or the `id` of an event of the stream. Without it the list begins with the oldest event that is kept; `latest` skips all past events.',
  )
  @Rule(cursorViolations)
  after?: string;

  @Integer.optional('How many seconds to wait if there is no event yet.', undefined, {
    minimum: 0,
    maximum: MAX_WAIT,
    default: 0,
  })
  @Rule((value, pointer) => numberViolations(value, pointer, 0, MAX_WAIT))
  wait?: string;

  @Integer.optional('Approximate number of events: those of one transaction come together.', undefined, {
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  })
  @Rule((value, pointer) => numberViolations(value, pointer, 1, MAX_LIMIT))
  limit?: string;
}

export class EventStreamQueryDto extends TypesQueryDto {
  @Text.optional('As for the list. `Last-Event-ID` takes precedence; without either the stream begins now.')
  @Rule(cursorViolations)
  after?: string;
}

export function limitOf({ limit }: EventQueryDto): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit);
}

function cursorViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_CURSOR_LENGTH) return [];
  const detail = 'The cursor must be that of an event or of a list of events.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

function numberViolations(value: unknown, pointer: string, least: number, most: number): Violation[] {
  const number = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : NaN;
  if (number >= least && number <= most) return [];
  const detail = `The value must be a whole number from ${least} to ${most}.`;
  return [{ pointer, code: 'not_acceptable', detail }];
}
