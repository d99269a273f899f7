import { TokenRequest } from '../../../platform/common/http/parameters/token-request.dto.ts';
import { SuccessResponse } from '../../../platform/common/http/responses/response.ts';
import {
  CodeOf,
  Flag,
  flagViolations,
  ListOf,
  listOf,
  Rule,
  ShortText,
  stringViolations,
  Text,
  Time,
} from '../../../platform/common/fields.ts';
import { textViolations } from '../../../platform/common/text.ts';

/** The body of a revocation, as JSON or as a form (RFC 7009, section 2.1). */
export class RevokeTokenRequest extends TokenRequest {
  @Text.optional('Ignored: each kind is looked for.', 'access_token')
  @Rule(stringViolations)
  token_type_hint?: string;
}

export class RevokeTokenResponse extends SuccessResponse {}

const MAX_REPORTED = 1000;

/** Tokens that were found where they should not be. */
export class ReportLeakedTokensRequest {
  @ListOf(
    String,
    'The tokens, or texts that contain them, at most 1,000 and as many as BODY_LIMIT takes.',
    ['ugt_EXAMPLE4example4EXAMPLE4example4000000'],
    { minItems: 1, maxItems: MAX_REPORTED },
  )
  @Rule(listOf(stringViolations, { least: 1, most: MAX_REPORTED, canRepeat: true }), {
    required: 'The field tokens is required.',
  })
  tokens!: string[];

  @ShortText.optional(
    'The place where they were found, for the audit log.',
    'https://git.example.com/acme/site',
  )
  @Rule(textViolations)
  source?: string;

  @Flag.optional('`true`: ends nothing, and says of each token what the report would do.', false)
  @Rule(flagViolations)
  dry_run?: boolean;
}

export const tokenKinds = ['user_group_token', 'embed_token', 'api_token', 'unknown'] as const;
export const endResults = [
  'ended',
  'would_end',
  'already_inactive',
  'last_admin_token',
  'unknown',
] as const;

/** The result for a text. */
export class ReportedToken {
  @CodeOf(
    tokenKinds,
    'The kind of token; `unknown` also for one that has expired, or is of another workspace.',
    'user_group_token',
  )
  kind!: (typeof tokenKinds)[number];

  @CodeOf(
    endResults,
    '`ended`: it is inactive now. `would_end`: only with `dry_run`, it would be. `already_inactive`: it was before. `last_admin_token`: it is active, because no other API token has the scope `admin`; issue one first. `unknown`: nothing was done.',
    'ended',
  )
  result!: (typeof endResults)[number];

  @Text.optional('Your own id of its user group.', 'acme-emea')
  provided_id?: string;

  @Time.optionalOrNull(
    'Only with `dry_run`: the last introspection of a user-group token, to a minute, or the last call of an API token; null if there was none. Uses of embed tokens are not stored.',
  )
  last_used_at?: string | null;
}

export class ReportLeakedTokensResponse extends SuccessResponse {
  @ListOf(
    ReportedToken,
    'One for each text, in their order. For several tokens in a text, the most urgent one: `last_admin_token`, then `ended` or `would_end`.',
  )
  results!: ReportedToken[];
}
