import { SchemaName } from '../../../common/api-docs.ts';
import { AnyObject, Integer, Text, Time } from '../../../common/fields.ts';
import { page, response } from '../../../common/http/responses/response.ts';
import { Total, TotalOf } from '../../../common/http/parameters/total.ts';
import { JsonText } from '../../../common/json/json-text.ts';
import type { JsonObject } from '../../../common/json/strict-json.ts';
import { toWireTime, toWireTimeOrNull } from '../../../common/time.ts';
import type { Mapping } from '../../group/mapping.ts';
import { bodyOf, type UserGroupState } from '../../group/user-group-fields.ts';

/** Never contains a token, so that it may be compared and stored. */
@SchemaName('UserGroup')
export class UserGroupResource {
  @Integer('Internal id; you need not record it.', 1)
  team_id!: number;

  @Text('Your own id of the group.', 'acme-emea')
  provided_id!: string;

  @Text('The name of the group.', 'Acme EMEA')
  name!: string;

  @AnyObject(
    'Schema id → data source, in the order of the schema ids.',
    { billing: 42, sales: 'warehouse-emea' },
    { additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }] } },
  )
  mapping!: Mapping;

  @AnyObject('Variables for dashboards and SQL.', { region: 'EMEA', seats: 25 })
  properties!: JsonObject;

  @Time.orNull('Time of its suspension, since when none of its tokens can be introspected, or null.')
  suspended_at!: string | null;

  @Time('When it was created.')
  created_at!: string;

  @Time('Time of the last change; a rotation of its token does not count.')
  updated_at!: string;
}

/** The response to every operation on one group except DELETE. */
export class UserGroupResponse extends response('user_group', UserGroupResource, 'The user group as it is now.') {}

export class UserGroupsResponse extends page('user_groups', UserGroupResource, 'The user groups.') {
  @TotalOf()
  total?: Total;
}

/** Equal states give equal JSON, whatever the order of their rows. */
export function toUserGroupResource(group: UserGroupState, providedId: string): UserGroupResource {
  const body = bodyOf(group);
  return {
    team_id: group.id,
    provided_id: providedId,
    ...body,
    mapping: sorted(body.mapping),
    suspended_at: toWireTimeOrNull(group.suspendedAt),
    created_at: toWireTime(group.createdAt),
    updated_at: toWireTime(group.updatedAt),
  };
}

/** Makes the response for one page. The properties are stored as JSON, and become part of it unchanged. */
export function toUserGroupsAnswer(
  groups: readonly (UserGroupState & { providedId: string })[],
  { next_cursor: nextCursor, total }: { next_cursor?: string; total: Total | undefined },
): JsonText {
  const texts = groups.map((group) => {
    const rest = toUserGroupResource({ ...group, properties: '{}' }, group.providedId);
    // No text and no mapping contains this: a text would escape it, and a mapping contains no objects.
    return JSON.stringify(rest).replace('"properties":{}', () => `"properties":${group.properties}`);
  });
  const more = nextCursor === undefined ? 'false' : `true,"next_cursor":${JSON.stringify(nextCursor)}`;
  const counted = total === undefined ? '' : `,"total":${JSON.stringify(total)}`;
  return new JsonText(`{"success":1,"user_groups":[${texts.join(',')}],"has_more":${more}${counted}}`);
}

function sorted(mapping: Mapping): Mapping {
  return Object.fromEntries(Object.entries(mapping).sort(([one], [other]) => (one < other ? -1 : 1)));
}
