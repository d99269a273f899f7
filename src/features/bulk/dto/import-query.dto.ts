import { choiceOf, Flag, QueryOneOf, Rule } from '../../../platform/common/fields.ts';

const resultFilters = ['all', 'failed'] as const;

export class ImportQueryDto {
  @QueryOneOf.optional(
    resultFilters,
    '`failed`: return only the lines that were refused or that replaced a token, and the summary. For clients that send the whole body before they read.',
    undefined,
    { default: 'all' },
  )
  @Rule(choiceOf(resultFilters))
  results?: (typeof resultFilters)[number];

  @Flag.optional(
    '`true`: return what an import of the same body would do now, and store nothing. An extension that can refuse changes is not asked.',
  )
  @Rule(choiceOf(['true', 'false']))
  dry_run?: 'true' | 'false';
}
