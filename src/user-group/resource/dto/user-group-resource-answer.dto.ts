import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { JsonText } from '../../../common/json/json-text.ts';
import type { JsonObject } from '../../../common/json/strict-json.ts';
import { toWireTime, toWireTimeOrNull } from '../../../common/time.ts';
import { fromStoredMapping, type Mapping } from '../../group/mapping.ts';
import type { UserGroupState } from '../../group/user-group.repository.ts';

const success = {
  description: '1: the call succeeded.',
  enum: [1],
  type: 'integer',
  example: 1,
} as const;

/** A user group as a resource. It never holds a token, so that it may be compared and stored. */
export class UserGroupResource {
  @ApiProperty({ description: 'Internal id; you need not record it.', type: 'integer', example: 1 })
  team_id!: number;

  @ApiProperty({ description: 'Your own id of the group.', example: 'acme-emea' })
  provided_id!: string;

  @ApiProperty({ description: 'The name of the group.', example: 'Acme EMEA' })
  name!: string;

  @ApiProperty({
    description: 'Schema id → data source, in the order of the schema ids.',
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    example: { billing: 42, sales: 'warehouse-emea' },
  })
  mapping!: Mapping;

  @ApiProperty({
    description: 'Variables for dashboards and SQL.',
    type: 'object',
    additionalProperties: true,
    example: { region: 'EMEA', seats: 25 },
  })
  properties!: JsonObject;

  @ApiProperty({
    description: 'Since when no token of the group can be introspected; null: it is not suspended.',
    type: String,
    nullable: true,
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  suspended_at!: string | null;

  @ApiProperty({
    description: 'When it was created.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  created_at!: string;

  @ApiProperty({
    description: 'When it was changed last; a rotation of its token does not change it.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  updated_at!: string;
}

/** The answer of every operation on one group but DELETE. */
export class UserGroupResourceAnswer {
  @ApiProperty(success)
  success!: 1;

  @ApiProperty({ description: 'The user group as it is now.', type: () => UserGroupResource })
  user_group!: UserGroupResource;
}

/** One page of user groups. */
export class UserGroupsAnswer {
  @ApiProperty(success)
  success!: 1;

  @ApiProperty({ description: 'The user groups.', type: () => [UserGroupResource] })
  user_groups!: UserGroupResource[];

  @ApiPropertyOptional({
    description: 'The `cursor` of the next page; absent on the last.',
    example: 'WzUwXQ',
  })
  next_cursor?: string;
}

/** Makes the resource of a group. Equal states give equal JSON, whatever the order of their rows. */
export function toUserGroupResource(group: UserGroupState, providedId: string): UserGroupResource {
  return {
    team_id: group.id,
    provided_id: providedId,
    name: group.name,
    mapping: sorted(fromStoredMapping(group.mapping)),
    properties: JSON.parse(group.properties) as JsonObject,
    suspended_at: toWireTimeOrNull(group.suspendedAt),
    created_at: toWireTime(group.createdAt),
    updated_at: toWireTime(group.updatedAt),
  };
}

/** Makes the answer for one page. The properties are stored as JSON, and become part of it as they are. */
export function toUserGroupsAnswer(
  groups: readonly (UserGroupState & { providedId: string })[],
  nextCursor: string | undefined,
): JsonText {
  const texts = groups.map((group) => {
    const rest = toUserGroupResource({ ...group, properties: '{}' }, group.providedId);
    // No text and no mapping has this part: it would be escaped, and holds no objects.
    return JSON.stringify(rest).replace(
      '"properties":{}',
      () => `"properties":${group.properties}`,
    );
  });
  const end = nextCursor === undefined ? '' : `,"next_cursor":${JSON.stringify(nextCursor)}`;
  return new JsonText(`{"success":1,"user_groups":[${texts.join(',')}]${end}}`);
}

function sorted(mapping: Mapping): Mapping {
  return Object.fromEntries(
    Object.entries(mapping).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
