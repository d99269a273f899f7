import { digits, Integer, Rule, Text, textThat } from '../../../../platform/common/fields.ts';
import { eventTypesViolations } from '../event-types.ts';

/** The cursor after all events so far. */
export const LATEST = 'latest';

const MAX_CURSOR_LENGTH = 8000;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_WAIT = 30;

const cursorViolations = textThat(
  ({ length }) => length > 0 && length <= MAX_CURSOR_LENGTH,
  'The cursor must be that of an event or of a list of events.',
);

class TypesQueryDto {
  @Text.optional(
    'Only events of these types, separated by commas, where `*` stands for any characters: `user_group.update`, `user_group.*`.',
  )
  @Rule(eventTypesViolations)
  types?: string;
}

export class EventQueryDto extends TypesQueryDto {
  @Text.optional(
    '`next_cursor` of the previous response, or the `id` of an event of the stream. Without it the list begins with the oldest event that is kept; `latest` skips all past events.',
  )
  @Rule(cursorViolations)
  after?: string;

  @Integer.optional('Seconds to wait if there is no event yet.', undefined, {
    minimum: 0,
    maximum: MAX_WAIT,
    default: 0,
  })
  @Rule(digits(0, MAX_WAIT))
  wait?: string;

  @Integer.optional(
    'Approximate number of events: those of one transaction come together.',
    undefined,
    {
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
    },
  )
  @Rule(digits(1, MAX_LIMIT))
  limit?: string;
}

export class EventStreamQueryDto extends TypesQueryDto {
  @Text.optional(
    'As for the list. `Last-Event-ID` takes precedence; without either the stream begins now.',
  )
  @Rule(cursorViolations)
  after?: string;
}

export function eventLimitOf({ limit }: EventQueryDto): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit);
}
