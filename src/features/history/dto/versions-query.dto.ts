import { digits, Integer, Rule } from '../../../platform/common/fields.ts';
import { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';

const TEAM_ID =
  'Only versions of the group with this `team_id`: an id that was deleted and created again has had several groups.';

export class VersionsQueryDto extends PageQueryDto {
  @Integer.optional(TEAM_ID, undefined, { minimum: 1 })
  @Rule(digits(1))
  team_id?: string;
}

/** Names the group whose version a path numbers. */
export class TeamQueryDto {
  @Integer.optional(
    'The `team_id` of the group; by default that of the latest one that has had the id.',
    undefined,
    {
      minimum: 1,
    },
  )
  @Rule(digits(1))
  team_id?: string;
}

export class VersionQueryDto extends TeamQueryDto {
  @Integer.optional('Also lists the differences from this version of the same group.', undefined, {
    minimum: 1,
  })
  @Rule(digits(1))
  compare_with?: string;
}
