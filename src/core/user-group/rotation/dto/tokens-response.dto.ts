import { SchemaName } from '../../../../platform/common/api-docs.ts';
import { CodeOf, Integer, Nested, Text, Time } from '../../../../platform/common/fields.ts';
import { page } from '../../../../platform/common/http/responses/response.ts';
import { toWireTime, toWireTimeOrNull } from '../../../../platform/common/time.ts';
import {
  type GroupValidity,
  inactiveReasonOf,
  type InactiveReason,
  inactiveReasons,
  overlapEndOf,
  stateOf,
  type TokenState,
  tokenStates,
  VALID_GROUP,
} from '../../token/token-validity.ts';
import type { TokenGeneration } from '../../token/user-group-token.repository.ts';

/** The rotation that replaced a token. */
class SupersededBy {
  @Integer('The generation that took its place.', 3)
  generation!: number;

  @Time('Time of the rotation.')
  at!: string;

  @Integer.orNull(
    'Id of the API token that rotated it; null for the operator, or if not recorded.',
    3,
  )
  api_token_id!: number | null;
}

/** One generation of a group's token, without the token. */
@SchemaName('UserGroupToken')
export class TokenView {
  @Integer('1 for the token issued with the group, one more for each rotation.', 2)
  generation!: number;

  @CodeOf(
    tokenStates,
    '`current`: returned by GET. `overlap`: replaced, and can be introspected until `valid_until`. `replaced`: a rotation, or the end of its overlap, has ended it. `revoked`: a request has ended its overlap.',
    'overlap',
  )
  state!: TokenState;

  @CodeOf.orNull(
    inactiveReasons,
    'Reason for its refusal now, or null. `superseded`: a rotation replaced it, or ended its overlap. `overlap_expired`: its overlap has expired. `revoked`: a request ended its overlap. `group_suspended`, `group_expired`, `group_incomplete`: the group is not active. `tokens_ended`: all tokens of the workspace were ended together.',
    'overlap_expired',
  )
  refused_because!: InactiveReason | null;

  @Text('The last four characters of the token.', '9fQ2')
  last_four!: string;

  @Time('When it was issued.')
  created_at!: string;

  @Time.orNull('Time of its replacement; null for the current one.')
  retired_at!: string | null;

  @Nested.orNull(SupersededBy, 'The rotation that replaced it; null for the current one.')
  superseded_by!: SupersededBy | null;

  @Time.orNull('End of the overlap in which a replaced token can be introspected, or null.')
  valid_until!: string | null;

  @Time.orNull('Time at which a request ended its overlap, or null.')
  revoked_at!: string | null;

  @Integer.orNull(
    'Id of the API token that ended the overlap; null for the operator, or if it was not ended.',
    3,
  )
  revoked_by!: number | null;

  @Time.orNull(
    'Time of the last introspection, or null. Later ones appear within a minute, the first one at once.',
  )
  last_introspected_at!: string | null;
}

export class UserGroupTokensResponse extends page(
  'tokens',
  TokenView,
  'The tokens, newest first.',
) {}

/** @param group whose status can make every token inactive; without it the token is one that has ended */
export function toTokenView(token: TokenGeneration, group: GroupValidity = VALID_GROUP): TokenView {
  return {
    generation: token.generation,
    state: stateOf(token),
    refused_because: inactiveReasonOf(token, group),
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
