import { ApiProperty, ApiPropertyOptional } from '../../common/api-docs.ts';
import type { Violation } from '../../common/violation.ts';
import { Obeys } from '../../common/json/obeys.decorator.ts';
import { textViolations } from '../../common/text.ts';

/** The body of an introspection, as JSON or as a form (RFC 7662, section 2.1). */
export class IntrospectDto {
  @ApiProperty({
    description: 'The user-group token, or embed token, that a dashboard was given.',
    example: 'ugt_EXAMPLE4example4EXAMPLE4example4000000',
  })
  @Obeys(tokenViolations, { required: 'The field token is required.' })
  token!: string;

  @ApiPropertyOptional({
    description:
      'The one schema to tell about: `mapping` then has its entry alone, or `unmapped` names it. Under the policy `registered` your own id of the schema, or our number of it.',
    minLength: 1,
    maxLength: 255,
    example: 'sales',
  })
  @Obeys(textViolations)
  schema_id?: string;

  /** Has no rule and so is never copied: the guard alone reads it. */
  @ApiPropertyOptional({
    description:
      'In a form, of a client that sends no `Authorization` header: its API token (`client_secret_post`).',
    example: 'uga_EXAMPLE4example4EXAMPLE4example4000000',
  })
  client_secret?: string;

  @ApiPropertyOptional({
    description: 'Beside `client_secret`; it can be any and is not looked at.',
    example: 'renderer',
  })
  client_id?: string;
}

/** Accepts any string, whatever its form. */
function tokenViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string') return [];
  return [{ pointer, code: 'type', detail: 'The token must be a string.' }];
}
