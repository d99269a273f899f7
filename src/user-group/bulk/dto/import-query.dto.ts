import { ApiPropertyOptional } from '../../../common/api-docs.ts';
import type { Violation } from '../../../common/violation.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';

const resultFilters = ['all', 'failed'] as const;

/** The query of an import: which results it answers. */
export class ImportQueryDto {
  @ApiPropertyOptional({
    description:
      '`failed`: answer only the lines that were refused or have replaced a token, and the summary. For clients that read nothing before they have sent everything.',
    enum: resultFilters,
    default: 'all',
  })
  @Obeys(resultsViolations)
  results?: (typeof resultFilters)[number];
}

function resultsViolations(value: unknown, pointer: string): Violation[] {
  if (resultFilters.some((filter) => filter === value)) return [];
  const detail = `The parameter results must be ${resultFilters.join(' or ')}.`;
  return [{ pointer, code: 'not_acceptable', detail }];
}
