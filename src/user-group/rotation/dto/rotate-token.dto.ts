import { ApiProperty } from '../../../common/api-docs.ts';
import type { Violation } from '../../../common/violation.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import { GraceDto } from './grace.dto.ts';
import { TOKEN_EXAMPLE } from '../../group/dto/user-group-answer.dto.ts';

/** The body of POST. */
export class RotateTokenDto extends GraceDto {
  @ApiProperty({
    description: 'The user-group token that the group holds now.',
    example: TOKEN_EXAMPLE,
  })
  @Obeys(currentTokenViolations, {
    required:
      'The field current_token is required. If you meant a GET: some clients turn a GET with a body into POST; use PUT, or X-HTTP-Method-Override: GET.',
  })
  current_token!: string;
}

/** Any string may be asked about: what is no token belongs to nobody, like an unknown one. */
function currentTokenViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string') return [];
  return [{ pointer, code: 'type', detail: 'The current_token must be a string.' }];
}
