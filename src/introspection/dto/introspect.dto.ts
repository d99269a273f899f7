import { Rule, ShortText, stringViolations, Text } from '../../common/fields.ts';
import { textViolations } from '../../common/text.ts';

/** The body of an introspection, as JSON or as a form (RFC 7662, section 2.1). */
export class IntrospectionRequest {
  @Text(
    'The user-group token, or embed token, that a dashboard was given.',
    'ugt_EXAMPLE4example4EXAMPLE4example4000000',
  )
  @Rule(stringViolations, { required: 'The field token is required.' })
  token!: string;

  @ShortText.optional(
    'Restricts the response to one schema: `mapping` then has only its entry, or `unmapped` names it. Under the policy `registered` your own id of the schema, or our number of it.',
    'sales',
  )
  @Rule(textViolations)
  schema_id?: string;

  /** Has no rule and so is never copied: only the guard reads it. */
  @Text.optional(
    'The API token of a client that sends a form and no `Authorization` header (`client_secret_post`).',
    'uga_EXAMPLE4example4EXAMPLE4example4000000',
  )
  client_secret?: string;

  @Text.optional('Accompanies `client_secret`; any value, which is ignored.', 'renderer')
  client_id?: string;
}
