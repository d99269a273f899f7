import { Integer, Rule, Text } from '../../../common/fields.ts';
import type { Violation } from '../../../common/problem/violation.ts';
import { PageQueryDto } from '../../../common/http/parameters/page.dto.ts';

/** Tokens must match every given filter. */
export class TokensQueryDto extends PageQueryDto {
  @Integer.optional('Only the token of this generation.', undefined, { minimum: 1 })
  @Rule(generationViolations)
  generation?: string;

  @Text.optional(
    'Only tokens that end in these four characters: identifies the token that somebody holds without showing it.',
    undefined,
    { pattern: '^[!-~]{4}$' },
  )
  @Rule(lastFourViolations)
  last_four?: string;
}

function generationViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return [];
  const detail = 'The generation must be a whole number from 1.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** Refuses a whole token in this place too, and does not repeat it. */
function lastFourViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && /^[!-~]{4}$/.test(value)) return [];
  const detail = 'The last four characters of a token are four visible ASCII characters.';
  return [{ pointer, code: 'not_acceptable', detail }];
}
