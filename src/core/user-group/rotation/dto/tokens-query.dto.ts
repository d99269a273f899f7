import { digits, Integer, Rule, Text, textThat } from '../../../../platform/common/fields.ts';
import { PageQueryDto } from '../../../../platform/common/http/parameters/page.dto.ts';

/** Refuses a whole token in this place too, and does not repeat it. */
const lastFourViolations = textThat(
  (text) => /^[!-~]{4}$/.test(text),
  'The last four characters of a token are four visible ASCII characters.',
);

/** Tokens must match every given filter. */
export class TokensQueryDto extends PageQueryDto {
  @Integer.optional('Only the token of this generation.', undefined, { minimum: 1 })
  @Rule(digits(1))
  generation?: string;

  @Text.optional(
    'Only tokens that end in these four characters: identifies the token that somebody holds without showing it.',
    undefined,
    { pattern: '^[!-~]{4}$' },
  )
  @Rule(lastFourViolations)
  last_four?: string;
}
