import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toWireTime, toWireTimeOrNull } from '../../common/time';
import type { TokenGeneration } from '../user-group-token.repository';

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

/** Why an introspection of a token answers that it is not active. */
const refusals = [
  'superseded',
  'overlap_expired',
  'revoked',
  'group_suspended',
  'group_incomplete',
] as const;

export type Refusal = (typeof refusals)[number];

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
    enum: ['current', 'overlap', 'ended'],
    example: 'overlap',
  })
  state!: 'current' | 'overlap' | 'ended';

  @ApiProperty({
    description:
      'Why it is refused now; null: it is not. `superseded`: a rotation replaced it, or ended its overlap. `overlap_expired`: its overlap was over by the clock. `revoked`: its overlap was ended by a call. `group_suspended`: it would be accepted if its group were not suspended. `group_incomplete`: it would be accepted if its group had all that the workspace requires.',
    enum: refusals,
    type: String,
    nullable: true,
    example: 'overlap_expired',
  })
  refused_because!: Refusal | null;

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

  @ApiProperty(moment('When it was last introspected, up to a minute ago; null: never.'))
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
 * Of a generation, what an operator may see.
 * @param isGroupComplete whether the group has all that its workspace requires
 */
export function toTokenView(token: TokenGeneration, isGroupComplete: boolean): TokenView {
  const state = stateOf(token);
  return {
    generation: token.generation,
    state,
    refused_because: state === 'ended' ? endOf(token) : refusalOfGroup(token, isGroupComplete),
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

function stateOf(token: TokenGeneration): TokenView['state'] {
  if (token.retiredAt === null) return 'current';
  return (overlapEndOf(token) ?? 0) > Date.now() ? 'overlap' : 'ended';
}

/** The next rotation ends an overlap, whatever was granted. */
function overlapEndOf({ validUntil, successorRetiredAt }: TokenGeneration): number | null {
  return successorRetiredAt === null ? validUntil : null;
}

/** What ended a token for ever. */
function endOf({ revokedAt, validUntil, successorRetiredAt }: TokenGeneration): Refusal {
  if (revokedAt !== null) return 'revoked';
  if (validUntil === null) return 'superseded';
  return validUntil <= (successorRetiredAt ?? Infinity) ? 'overlap_expired' : 'superseded';
}

/** What keeps a token from being accepted that has not ended; it can pass. */
function refusalOfGroup(
  { groupSuspendedAt }: TokenGeneration,
  isGroupComplete: boolean,
): Refusal | null {
  if (groupSuspendedAt !== null) return 'group_suspended';
  return isGroupComplete ? null : 'group_incomplete';
}

function supersededBy({ generation, retiredAt, retiredBy }: TokenGeneration) {
  if (retiredAt === null) return null;
  return { generation: generation + 1, at: toWireTime(retiredAt), api_token_id: retiredBy };
}
