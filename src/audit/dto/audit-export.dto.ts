import { ApiProperty, ApiPropertyOptional } from '../../common/api-docs.ts';
import type { Violation } from '../../common/violation.ts';
import { Obeys } from '../../common/json/obeys.decorator.ts';
import { identifierViolations } from '../../common/text.ts';
import { timeViolations } from '../../common/time.ts';
import { searchViolations } from './audit-event-query.dto.ts';

/** The body of an export: the filters of the list. Without any, all events. */
export class AuditExportDto {
  @ApiPropertyOptional({ description: 'What was done.', example: 'user_group_token.rotate' })
  @Obeys(identifierViolations)
  action?: string;

  @ApiPropertyOptional({ description: 'The kind of thing.', example: 'user_group' })
  @Obeys(identifierViolations)
  object_type?: string;

  @ApiPropertyOptional({ description: 'The id of the thing.', example: 'acme-emea' })
  @Obeys(identifierViolations)
  object_id?: string;

  @ApiPropertyOptional({
    description: 'The API token that did it, by its number.',
    type: 'integer',
    example: 1,
  })
  @Obeys(apiTokenViolations)
  api_token_id?: number;

  @ApiPropertyOptional({ description: 'The request that did it.', example: 'order-4711' })
  @Obeys(identifierViolations)
  request_id?: string;

  @ApiPropertyOptional({
    description: 'Events of this moment and later.',
    format: 'date-time',
    example: '2030-01-01T00:00:00Z',
  })
  @Obeys(timeViolations)
  from?: string;

  @ApiPropertyOptional({
    description: 'Events before this moment.',
    format: 'date-time',
    example: '2030-02-01T00:00:00Z',
  })
  @Obeys(timeViolations)
  to?: string;

  @ApiPropertyOptional({ description: 'A text, as the list finds it.', example: 'acme' })
  @Obeys(searchViolations)
  search?: string;
}

class AuditExportCounts {
  @ApiProperty({ description: 'How many events.', type: 'integer', example: 1 })
  exported!: number;

  @ApiProperty({
    description: 'Always true: an export that fails has no last line.',
    example: true,
  })
  complete!: true;
}

/** The last line of an export: without it the export was cut. */
export class AuditExportSummary {
  @ApiProperty({ description: 'What was exported.', type: () => AuditExportCounts })
  summary!: AuditExportCounts;
}

function apiTokenViolations(value: unknown, pointer: string): Violation[] {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) < 1e9) return [];
  return [{ pointer, code: 'not_acceptable', detail: 'The id must be a whole number.' }];
}
