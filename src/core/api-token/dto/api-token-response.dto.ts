import { BaseSchema } from '../../../platform/common/api-docs.ts';
import { CodeOf, Integer, ListOf, Nested, Text, Time } from '../../../platform/common/fields.ts';
import { page, response } from '../../../platform/common/http/responses/response.ts';
import { Total, TotalOf } from '../../../platform/common/http/parameters/total.ts';
import type { Scope } from '../../../platform/common/access/caller.ts';
import type { UserGroupRange } from '../../../platform/common/access/user-group-range.ts';
import { UserGroupRangeDto } from './user-group-range.dto.ts';

/** Looks like a token without being one: its checksum is wrong. */
const TOKEN_EXAMPLE = 'uga_EXAMPLE4example4EXAMPLE4example4000000';

/** The state of an API token. */
export type ApiTokenState = 'active' | 'superseded' | 'expired' | 'revoked';

export const apiTokenStates: readonly ApiTokenState[] = [
  'active',
  'superseded',
  'expired',
  'revoked',
];

/** Everything except the token. */
@BaseSchema('ApiToken')
export class ApiTokenView {
  @Integer('Number of the token.', 2)
  id!: number;

  @Text('A name for people, such as the purpose of the token.', 'billing')
  name!: string;

  @Text('The last four characters of the token.', '9fQ2')
  last_four!: string;

  @CodeOf(
    apiTokenStates,
    '`superseded`: rotated, and valid until `expires_at`. `expired` and `revoked` tokens are refused.',
    'active',
  )
  state!: ApiTokenState;

  @ListOf(String, 'The rights of the token.', ['user-groups:read'])
  scopes!: Scope[];

  @ListOf.orNull(String, 'The addresses and CIDR ranges it may be used from, or null for any.', [
    '10.0.0.0/8',
  ])
  allowed_cidrs!: string[] | null;

  @Nested.orNull(UserGroupRangeDto, 'The user groups that exist for it, or null for all.', null)
  user_groups!: UserGroupRange | null;

  @Time('When it was issued.')
  created_at!: string;

  @Time.orNull('Expiry, or null for none.', '2099-12-31T00:00:00.000Z')
  expires_at!: string | null;

  @Time.orNull(
    'Time of the last use, or null. Later uses appear within a minute, the first one at once.',
    '2030-01-02T08:30:00.000Z',
  )
  last_used_at!: string | null;

  @Time.orNull('Time of its revocation, or null.', null)
  revoked_at!: string | null;

  @Integer.orNull('Id of the token that replaced it by a rotation, or null.', null)
  superseded_by_id!: number | null;

  @Text.orNull(
    'Issuer and subject (OpenID Connect) of the person whose console sessions it stands for; its secret is never revealed. Null for other tokens.',
    null,
  )
  subject!: string | null;
}

/** Includes the token, which is shown only once. */
export class ApiTokenWithSecret extends ApiTokenView {
  @Text('The token. Save it now: it is not stored and cannot be shown again.', TOKEN_EXAMPLE, {
    pattern: '^uga_[0-9A-Za-z]{38}$',
  })
  token!: string;
}

/** An API token, without its secret. */
export class ApiTokenResponse extends response('api_token', ApiTokenView, 'The API token.') {}

/** An API token with its secret, which is shown once. */
export class ApiTokenWithSecretResponse extends response(
  'api_token',
  ApiTokenWithSecret,
  'The new API token.',
) {}

/** A page of API tokens. */
export class ApiTokensResponse extends page(
  'api_tokens',
  ApiTokenView,
  'The API tokens in the order of their creation.',
) {
  @TotalOf()
  total?: Total;
}
