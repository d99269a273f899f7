import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { toWireTime, toWireTimeOrNull } from '../../../common/time.ts';
import {
  inactiveReasonOf,
  type InactiveReason,
  inactiveReasons,
  overlapEndOf,
  stateOf,
  type TokenState,
  tokenStates,
} from '../../token/token-validity.ts';
import type { TokenGeneration } from '../../token/user-group-token.repository.ts';

const moment = (description: string) => ({
  description,
  type: String,
  nullable: true,
  format: 'date-time',
  example: '2030-01-01T12:00:00.000Z',
});

const apiTokenId = (description: string) => ({
  description,
  type: 'integer' as const,
  nullable: true,
  example: 3,
});

/** The rotation that replaced a token. */
class SupersededByView {
  @ApiProperty({
    description: 'The generation that took its place.',
    type: 'integer',
    example: 3,
  })
  generation!: number;

  @ApiProperty({
    description: 'When.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  at!: string;

  @ApiProperty(apiTokenId('The API token that rotated; null: the operator, or not recorded.'))
  api_token_id!: number | null;
}

/** One generation of a group's token, without the token. */
export class TokenView {
  @ApiProperty({
    description: '1 for the token issued with the group, one more for each rotation.',
    type: 'integer',
    example: 2,
  })
  generation!: number;

  @ApiProperty({
    description:
      '`current`: answered by GET. `overlap`: replaced, and can be introspected until `valid_until`. `ended`: refused.',
    enum: tokenStates,
    example: 'overlap',
  })
  state!: TokenState;

  @ApiProperty({
    description:
      'Why it is refused now; null: it is not. `superseded`: a rotation replaced it, or ended its overlap. `overlap_expired`: its overlap was over by the clock. `revoked`: its overlap was ended by a call. `group_suspended`: it would be accepted if its group were not suspended. `group_incomplete`: it would be accepted if its group had all that the workspace requires.',
    enum: inactiveReasons,
    type: String,
    nullable: true,
    example: 'overlap_expired',
  })
  refused_because!: InactiveReason | null;

  @ApiProperty({
    description: 'The last four characters of the token; null for one issued by an early version.',
    type: String,
    nullable: true,
    example: '9fQ2',
  })
  last_four!: string | null;

  @ApiProperty({
    description: 'When it was issued.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  created_at!: string;

  @ApiProperty(moment('When another took its place; null for the current one.'))
  retired_at!: string | null;

  @ApiProperty({
    description: 'What took its place; null for the current one.',
    type: () => SupersededByView,
    nullable: true,
  })
  superseded_by!: SupersededByView | null;

  @ApiProperty(moment('Until when a replaced token can be introspected; null: it cannot.'))
  valid_until!: string | null;

  @ApiProperty(moment('When its overlap was ended by a call; null: it was not.'))
  revoked_at!: string | null;

  @ApiProperty(apiTokenId('The API token that ended the overlap; null: the operator, or nobody.'))
  revoked_by!: number | null;

  @ApiProperty(
    moment(
      'When it was last introspected, up to a minute ago; the first time shows at once; null: never.',
    ),
  )
  last_introspected_at!: string | null;
}

/** Tokens of one group, newest first. */
export class TokensAnswer {
  @ApiProperty({ description: '1: the call succeeded.', enum: [1], type: 'integer', example: 1 })
  success!: 1;

  @ApiProperty({ description: 'The tokens, newest first.', type: () => [TokenView] })
  tokens!: TokenView[];

  @ApiPropertyOptional({
    description: 'The `cursor` of the next page; absent on the last.',
    example: 'WzUwXQ',
  })
  next_cursor?: string;
}

/**
 * Makes the view of a generation for its operators.
 * @param isGroupComplete whether the group has all that its workspace requires
 */
export function toTokenView(token: TokenGeneration, isGroupComplete: boolean): TokenView {
  return {
    generation: token.generation,
    state: stateOf(token),
    refused_because: inactiveReasonOf(token, isGroupComplete),
    last_four: token.lastFour,
    created_at: toWireTime(token.createdAt),
    retired_at: toWireTimeOrNull(token.retiredAt),
    superseded_by: supersededBy(token),
    valid_until: toWireTimeOrNull(overlapEndOf(token)),
    revoked_at: toWireTimeOrNull(token.revokedAt),
    revoked_by: token.revokedBy,
    last_introspected_at: toWireTimeOrNull(token.lastIntrospectedAt),
  };
}

function supersededBy({ generation, retiredAt, retiredBy }: TokenGeneration) {
  if (retiredAt === null) return null;
  return { generation: generation + 1, at: toWireTime(retiredAt), api_token_id: retiredBy };
}
