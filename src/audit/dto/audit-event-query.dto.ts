import { ApiPropertyOptional } from '../../common/api-docs.ts';
import type { Violation } from '../../common/violation.ts';
import { PageQueryDto } from '../../common/http/page.dto.ts';
import { Obeys } from '../../common/json/obeys.decorator.ts';
import { identifierViolations } from '../../common/text.ts';
import { timeViolations } from '../../common/time.ts';

/**
 * The query of the audit log: events that match every filter given. No parameter has an example,
 * because the docs page would send it.
 */
export class AuditEventQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ description: 'What was done, such as `user_group_token.rotate`.' })
  @Obeys(identifierViolations)
  action?: string;

  @ApiPropertyOptional({ description: 'The kind of thing, such as `user_group`.' })
  @Obeys(identifierViolations)
  object_type?: string;

  @ApiPropertyOptional({
    description: 'The id of the thing, as the API knows it: of a group your own id.',
  })
  @Obeys(identifierViolations)
  object_id?: string;

  @ApiPropertyOptional({
    description: 'The API token that did it, by its number.',
    type: 'integer',
  })
  @Obeys(numberViolations)
  api_token_id?: string;

  @ApiPropertyOptional({ description: 'The request that did it, by its `X-Request-Id`.' })
  @Obeys(identifierViolations)
  request_id?: string;

  @ApiPropertyOptional({
    description: 'Events of this moment and later, such as 2030-01-01T00:00:00Z.',
    format: 'date-time',
  })
  @Obeys(timeViolations)
  from?: string;

  @ApiPropertyOptional({
    description: 'Events before this moment.',
    format: 'date-time',
  })
  @Obeys(timeViolations)
  to?: string;

  @ApiPropertyOptional({
    description:
      'The action, the id of the thing, the `X-Request-Id`, or the JSON of what changed or of the details contains this text, in upper or lower case.',
  })
  @Obeys(searchViolations)
  search?: string;
}

/** Validates a text that is looked for in others. */
export function searchViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The value must be a string.' }];
  }
  if (!value.includes('\0')) return [];
  const detail = 'The text must not contain the character U+0000.';
  return [{ pointer, code: 'nul_character', detail }];
}

function numberViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return [];
  return [{ pointer, code: 'not_acceptable', detail: 'The id must be a whole number.' }];
}
