import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import type { Violation } from '../../../common/violation.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';

/** The body of an export. */
export class ExportDto {
  @ApiPropertyOptional({
    description: 'Whether each line has the token of its group.',
    default: true,
    example: true,
  })
  @Obeys(includeTokensViolations)
  include_tokens?: boolean;
}

class ExportCounts {
  @ApiProperty({ description: 'How many groups.', type: 'integer', example: 1 })
  exported!: number;

  @ApiProperty({
    description: 'Always true: an export that fails has no last line.',
    example: true,
  })
  complete!: true;
}

/** The last line of an export: without it the export was cut. An import ignores it. */
export class ExportSummary {
  @ApiProperty({ description: 'What was exported.', type: () => ExportCounts })
  summary!: ExportCounts;
}

function includeTokensViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'boolean') return [];
  return [{ pointer, code: 'type', detail: 'The field include_tokens must be true or false.' }];
}
