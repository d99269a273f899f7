import { ApiProperty } from '../../common/api-docs.ts';
import { SUCCESS } from '../../common/http/answer-fields.ts';

class UserGroupsOverview {
  @ApiProperty({ description: 'All of them.', type: 'integer', example: 1280 })
  total!: number;

  @ApiProperty({
    description: 'Those that are suspended: `suspended=true` lists them.',
    type: 'integer',
    example: 3,
  })
  suspended!: number;

  @ApiProperty({
    description:
      'Those whose mappings name what is not registered, or one schema twice: `resolvable=false` lists them. Null until it has been counted, and where nothing is registered.',
    type: 'integer',
    nullable: true,
    example: 2,
  })
  unresolvable!: number | null;

  @ApiProperty({
    description:
      'Those that lack what the workspace requires, so that their tokens are inactive. Null until it has been counted.',
    type: 'integer',
    nullable: true,
    example: 0,
  })
  incomplete!: number | null;
}

class UserGroupTokensOverview {
  @ApiProperty({
    description: 'Replaced tokens that can still be introspected.',
    type: 'integer',
    example: 12,
  })
  in_overlap!: number;

  @ApiProperty({
    description:
      'Those of them that were introspected since they were replaced, and within an hour: somebody has yet to take the new token. Uses are stored once a minute.',
    type: 'integer',
    example: 4,
  })
  in_overlap_used_last_hour!: number;
}

export class ApiTokensOverview {
  @ApiProperty({ description: 'Neither revoked nor expired.', type: 'integer', example: 5 })
  active!: number;

  @ApiProperty({
    description: 'Those of them that expire within 30 days and have not been rotated.',
    type: 'integer',
    example: 1,
  })
  expiring_within_30_days!: number;
}

class Overview {
  @ApiProperty({ description: 'The user groups.', type: () => UserGroupsOverview })
  user_groups!: UserGroupsOverview;

  @ApiProperty({ description: 'The tokens of user groups.', type: () => UserGroupTokensOverview })
  user_group_tokens!: UserGroupTokensOverview;

  @ApiProperty({
    description: 'The API tokens; null unless yours has the scope `admin`.',
    type: () => ApiTokensOverview,
    nullable: true,
  })
  api_tokens!: ApiTokensOverview | null;

  @ApiProperty({
    description: 'When user groups and their tokens were counted.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  as_of!: string;
}

/** What a workspace has, in numbers. */
export class OverviewAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The counts.', type: () => Overview })
  overview!: Overview;
}
