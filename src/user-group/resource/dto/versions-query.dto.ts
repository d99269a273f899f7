import { Integer, Rule } from '../../../common/fields.ts';
import { PageQueryDto } from '../../../common/http/parameters/page.dto.ts';
import type { Violation } from '../../../common/problem/violation.ts';

const TEAM_ID =
  'Only versions of the group with this `team_id`: an id that was deleted and created again has had several groups.';

export class VersionsQueryDto extends PageQueryDto {
  @Integer.optional(TEAM_ID, undefined, { minimum: 1 })
  @Rule(numberViolations)
  team_id?: string;
}

/** Names the group whose version a path numbers. */
export class TeamQueryDto {
  @Integer.optional('The `team_id` of the group; by default that of the latest one that has had the id.', undefined, {
    minimum: 1,
  })
  @Rule(numberViolations)
  team_id?: string;
}

export class VersionQueryDto extends TeamQueryDto {
  @Integer.optional('Also lists the differences from this version of the same group.', undefined, { minimum: 1 })
  @Rule(numberViolations)
  compare_with?: string;
}

function numberViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return [];
  return [{ pointer, code: 'not_acceptable', detail: 'The number must be a whole number from 1.' }];
}
