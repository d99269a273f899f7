import { oneOf, QueryOneOf, Rule } from '../../../common/fields.ts';

const resultFilters = ['all', 'failed'] as const;

export class ImportQueryDto {
  @QueryOneOf.optional(
    resultFilters,
    '`failed`: return only the lines that were refused or that replaced a token, and the summary. For clients that send the whole body before they read.',
    undefined,
    { default: 'all' },
  )
  @Rule(oneOf(resultFilters))
  results?: (typeof resultFilters)[number];
}
