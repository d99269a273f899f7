import { Rule, stringViolations, Text } from '../../fields.ts';

/** A body with a token, as JSON or as a form of an OAuth 2.0 client. */
export class TokenRequest {
  @Text(
    'The user-group token, or embed token, that a dashboard was given.',
    'ugt_EXAMPLE4example4EXAMPLE4example4000000',
  )
  @Rule(stringViolations, { required: 'The field token is required.' })
  token!: string;

  /** Has no rule and so is never copied: only the guard reads it. */
  @Text.optional(
    'The API token of a client that sends a form and no `Authorization` header (`client_secret_post`).',
    'uga_EXAMPLE4example4EXAMPLE4example4000000',
  )
  client_secret?: string;

  @Text.optional('Accompanies `client_secret`; any value, which is ignored.', 'renderer')
  client_id?: string;
}
