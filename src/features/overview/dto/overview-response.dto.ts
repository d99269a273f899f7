import { Integer, Nested, Time } from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';

class UserGroupsOverview {
  @Integer('Number of user groups.', 1280)
  total!: number;

  @Integer('User groups whose status is `suspended`: `status=suspended` lists them.', 3)
  suspended!: number;

  @Integer('User groups whose `valid_until` has passed.', 1)
  expired!: number;

  @Integer.orNull(
    'User groups that lack something the workspace requires, so that their tokens are inactive. Null for the seconds in which a change of the requirements is applied.',
    0,
  )
  incomplete!: number | null;

  @Integer('User groups whose token was ended together with others.', 0)
  no_valid_token!: number;

  @Integer.orNull(
    'User groups whose mapping names something that is not in the registry, under the policy `registered`. Null as `incomplete` is.',
    0,
  )
  unresolved!: number | null;
}

class UserGroupTokensOverview {
  @Integer('Replaced tokens that can still be introspected.', 12)
  in_overlap!: number;

  @Integer(
    'Those of them that were introspected within the last hour and after their replacement: a dashboard still uses the old token. Uses are stored once a minute.',
    4,
  )
  in_overlap_used_last_hour!: number;
}

export class ApiTokensOverview {
  @Integer('Neither revoked nor expired.', 5)
  active!: number;

  @Integer('Those of them that expire within 30 days and have not been rotated.', 1)
  expiring_within_30_days!: number;
}

class Overview {
  @Nested(UserGroupsOverview, 'Counts of the user groups.')
  user_groups!: UserGroupsOverview;

  @Nested(UserGroupTokensOverview, 'Counts of the tokens of user groups.')
  user_group_tokens!: UserGroupTokensOverview;

  @Nested.orNull(ApiTokensOverview, 'The API tokens; null unless yours has the scope `admin`.')
  api_tokens!: ApiTokensOverview | null;

  @Time('When user groups and their tokens were counted.')
  as_of!: string;
}

export class OverviewResponse extends response('overview', Overview, 'The counts.') {}
