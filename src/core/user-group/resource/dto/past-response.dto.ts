import { SchemaName } from '../../../../platform/common/api-docs.ts';
import {
  CodeOf,
  Flag,
  Integer,
  ListOf,
  Nested,
  Rule,
  Text,
  Time,
} from '../../../../platform/common/fields.ts';
import { pastTimeViolations, toWireTime } from '../../../../platform/common/time.ts';
import type { PastToken } from '../../history/past-tokens.ts';
import { type InactiveReason, inactiveReasons } from '../../token/token-validity.ts';
import { UserGroupResponse } from './user-group-resource-response.dto.ts';

export class UserGroupAtQueryDto {
  @Text.optional(
    'Returns the group as it was at this time, even if it was deleted since.',
    undefined,
    {
      format: 'date-time',
    },
  )
  @Rule(pastTimeViolations)
  at?: string;
}

class PastTokenView {
  @Integer(
    'The position of the token among those of the group: 1 for the first, and 1 more with each rotation.',
    2,
  )
  generation!: number;

  @Text('The last four characters of the token.', '9fQ2')
  last_four!: string;

  @Time('When it was issued.')
  created_at!: string;

  @CodeOf.orNull(
    inactiveReasons,
    'Reason for its refusal at that time; null if it was accepted.',
    'superseded',
  )
  refused_because!: InactiveReason | null;
}

@SchemaName('PastUserGroup')
export class PastView {
  @Time('The time that was asked for.')
  at!: string;

  @Integer('The version of the group at that time.', 3)
  version!: number;

  @ListOf(
    PastTokenView,
    'The token that was current, and the one before it. All earlier ones were refused.',
  )
  tokens!: PastTokenView[];

  @Flag(
    'Whether it is known what the mapping resolved to. If not, because the workspace has since left the policy `registered`, its schemas are judged by their ids as they were sent.',
    true,
  )
  is_resolution_kept!: boolean;
}

export class GetUserGroupResponse extends UserGroupResponse {
  @Nested.optional(PastView, 'With `at`: the version and the tokens at that time.')
  past?: PastView;
}

export function toPastTokenView(
  token: PastToken,
  refused_because: InactiveReason | null,
): PastTokenView {
  const { generation, lastFour, createdAt } = token;
  return { generation, last_four: lastFour, created_at: toWireTime(createdAt), refused_because };
}
