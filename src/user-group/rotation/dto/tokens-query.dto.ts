import { ApiPropertyOptional } from '../../../common/api-docs.ts';
import type { Violation } from '../../../common/violation.ts';
import { PageQueryDto } from '../../../common/http/page.dto.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';

/** The query of a group's tokens: those that match every filter given. */
export class TokensQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    description: 'The token of this generation alone.',
    type: 'integer',
    minimum: 1,
  })
  @Obeys(generationViolations)
  generation?: string;

  @ApiPropertyOptional({
    description:
      'Tokens that end in these four characters: which one somebody holds can be told without showing it.',
    pattern: '^[!-~]{4}$',
  })
  @Obeys(lastFourViolations)
  last_four?: string;
}

function generationViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return [];
  const detail = 'The generation must be a whole number from 1.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** A whole token in this place is refused too, and not repeated. */
function lastFourViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && /^[!-~]{4}$/.test(value)) return [];
  const detail = 'The last four characters of a token are four visible ASCII characters.';
  return [{ pointer, code: 'not_acceptable', detail }];
}
