import { ApiProperty, ApiPropertyOptional } from '../../common/api-docs.ts';
import { type Scope, scopes } from '../../common/caller.ts';
import { NEXT_CURSOR, SUCCESS } from '../../common/http/answer-fields.ts';

/** Looks like a token without being one: its checksum is wrong. */
const TOKEN_EXAMPLE = 'uga_EXAMPLE4example4EXAMPLE4example4000000';

const moment = (description: string, example: string | null) => ({
  description,
  type: String,
  nullable: true,
  format: 'date-time',
  example,
});

/** Whether an API token is taken, and if not, why. */
export type ApiTokenState = 'active' | 'superseded' | 'expired' | 'revoked';

/** An API token as it may be shown: everything but the token. */
export class ApiTokenView {
  @ApiProperty({ description: 'Number of the token.', type: 'integer', example: 2 })
  id!: number;

  @ApiProperty({ description: 'What the token is for.', example: 'billing' })
  name!: string;

  @ApiProperty({ description: 'The last four characters of the token.', example: '9fQ2' })
  last_four!: string;

  @ApiProperty({
    description:
      '`superseded`: rotated, and valid until `expires_at`. `expired` and `revoked` tokens are refused.',
    enum: ['active', 'superseded', 'expired', 'revoked'],
    example: 'active',
  })
  state!: ApiTokenState;

  @ApiProperty({
    description: 'What the token may do.',
    enum: scopes,
    isArray: true,
    example: ['user-groups:read'],
  })
  scopes!: Scope[];

  @ApiProperty({
    description: 'Where it may be used from; null: anywhere.',
    type: [String],
    nullable: true,
    example: ['10.0.0.0/8'],
  })
  allowed_cidrs!: string[] | null;

  @ApiProperty({
    description: 'When it was issued.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  created_at!: string;

  @ApiProperty(moment('When it ends by itself; null: never.', '2099-12-31T00:00:00.000Z'))
  expires_at!: string | null;

  @ApiProperty(
    moment(
      'When it was last used, up to a minute ago; the first use shows at once; null: never.',
      '2030-01-02T08:30:00.000Z',
    ),
  )
  last_used_at!: string | null;

  @ApiProperty(moment('When it was revoked; null: it was not.', null))
  revoked_at!: string | null;

  @ApiProperty({
    description: 'The token that a rotation put in its place; null: none.',
    type: 'integer',
    nullable: true,
    example: null,
  })
  superseded_by!: number | null;

  @ApiProperty({
    description:
      'The person who signs in to the console by it, by issuer and subject of OpenID Connect; nobody knows such a token. Null: a token that somebody holds.',
    type: String,
    nullable: true,
    example: null,
  })
  subject!: string | null;
}

/** An API token at the one moment at which the token itself is shown. */
export class IssuedApiTokenView extends ApiTokenView {
  @ApiProperty({
    description: 'The token. Save it now: it is not stored and cannot be shown again.',
    pattern: '^uga_[0-9A-Za-z]{38}$',
    example: TOKEN_EXAMPLE,
  })
  token!: string;
}

/** An API token, without its secret. */
export class ApiTokenAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The API token.', type: () => ApiTokenView })
  api_token!: ApiTokenView;
}

/** An API token that was just issued. */
export class IssuedApiTokenAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The new API token.', type: () => IssuedApiTokenView })
  api_token!: IssuedApiTokenView;
}

/** A page of API tokens, without their secrets. */
export class ApiTokensAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({
    description: 'The API tokens in the order of their creation, also those that have ended.',
    type: () => [ApiTokenView],
  })
  api_tokens!: ApiTokenView[];

  @ApiPropertyOptional(NEXT_CURSOR)
  next_cursor?: string;
}
