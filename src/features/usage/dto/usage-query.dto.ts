import { choiceOf, QueryOneOf, Rule, Text, textThat } from '../../../platform/common/fields.ts';
import { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import { timeViolations } from '../../../platform/common/time.ts';
import { isTimeZone } from '../usage-periods.ts';

const steps = ['day', 'hour'] as const;
const kinds = ['group', ...steps] as const;

const MAX_ZONE_LENGTH = 64;

/** The period of a query of usage, and one page of it. */
export class UsagePeriodQueryDto extends PageQueryDto {
  @Text.optional(
    'The first entry is the day or hour of this moment; by default 30 days or 24 hours before `to`.',
    undefined,
    { format: 'date-time' },
  )
  @Rule(timeViolations)
  from?: string;

  @Text.optional(
    'The last entry is the day or hour before this moment; by default now.',
    undefined,
    { format: 'date-time' },
  )
  @Rule(timeViolations)
  to?: string;

  @Text.optional(
    'The time zone of days, such as `Europe/Berlin`. An hour of UTC belongs to the day in which it begins.',
    undefined,
    { default: 'UTC' },
  )
  @Rule(
    textThat(
      (text) => text.length <= MAX_ZONE_LENGTH && isTimeZone(text),
      'The value must name a time zone, such as Europe/Berlin.',
    ),
  )
  tz?: string;
}

export class GroupUsageQueryDto extends UsagePeriodQueryDto {
  @QueryOneOf.optional(steps, 'The scope of an entry.', undefined, { default: 'day' })
  @Rule(choiceOf(steps))
  by?: (typeof steps)[number];
}

export class UsageQueryDto extends UsagePeriodQueryDto {
  @QueryOneOf.optional(
    kinds,
    'The scope of an entry. `group`: the busiest groups of one day or one calendar month of UTC, which `from` and `to` enclose; by default the present month.',
    undefined,
    { default: 'day' },
  )
  @Rule(choiceOf(kinds))
  by?: (typeof kinds)[number];
}
