import { ApiPropertyOptional } from '../../common/api-docs.ts';
import { Obeys } from '../../common/json/obeys.decorator.ts';
import type { Violation } from '../../common/violation.ts';
import { typesViolations } from '../event-types.ts';

/** The cursor behind everything that has happened so far. */
export const LATEST = 'latest';

const MAX_CURSOR_LENGTH = 8000;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_WAIT = 30;

/** Which events are wanted. */
class TypesQueryDto {
  @ApiPropertyOptional({
    description:
      'Only events of these types, separated by commas, where `*` stands for any characters: `user_group.update`, `user_group.*`.',
  })
  @Obeys(typesViolations)
  types?: string;
}

export class EventQueryDto extends TypesQueryDto {
  @ApiPropertyOptional({
    description:
      '`next_cursor` of the answer before, or the `id` of an event of the stream. Without it the oldest event that is kept comes first; with `latest` none that has happened.',
  })
  @Obeys(cursorViolations)
  after?: string;

  @ApiPropertyOptional({
    description: 'How many seconds to wait for an event where there is none yet.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT,
    default: 0,
  })
  @Obeys((value, pointer) => numberViolations(value, pointer, 0, MAX_WAIT))
  wait?: string;

  @ApiPropertyOptional({
    description: 'About how many events: those of one transaction come together.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  })
  @Obeys((value, pointer) => numberViolations(value, pointer, 1, MAX_LIMIT))
  limit?: string;
}

export class EventStreamQueryDto extends TypesQueryDto {
  @ApiPropertyOptional({
    description:
      'As of the list; `Last-Event-ID` comes first, without either the stream begins now.',
  })
  @Obeys(cursorViolations)
  after?: string;
}

/** Returns how many events the query asks for. */
export function limitOf({ limit }: EventQueryDto): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit);
}

function cursorViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_CURSOR_LENGTH) return [];
  const detail = 'The cursor must be that of an event or of a list of events.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

function numberViolations(
  value: unknown,
  pointer: string,
  least: number,
  most: number,
): Violation[] {
  const number = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : NaN;
  if (number >= least && number <= most) return [];
  const detail = `The value must be a whole number from ${least} to ${most}.`;
  return [{ pointer, code: 'not_acceptable', detail }];
}
