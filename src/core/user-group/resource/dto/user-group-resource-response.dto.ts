import { BaseSchema, SchemaName } from '../../../../platform/common/api-docs.ts';
import {
  AnyObject,
  CodeOf,
  Integer,
  ListOf,
  Text,
  Time,
} from '../../../../platform/common/fields.ts';
import { page, response } from '../../../../platform/common/http/responses/response.ts';
import { Total, TotalOf } from '../../../../platform/common/http/parameters/total.ts';
import { JsonText } from '../../../../platform/common/json/json-text.ts';
import type { JsonObject } from '../../../../platform/common/json/strict-json.ts';
import { toWireTime, toWireTimeOrNull } from '../../../../platform/common/time.ts';
import type { Mapping } from '../../group/mapping.ts';
import { bodyOf, type UserGroupState } from '../../group/user-group-fields.ts';
import {
  type GroupStatus,
  groupStatuses,
  type Standing,
  statusOf,
  type StatusReason,
} from '../../status/user-group-status.ts';
import type { UserGroupRules } from '../../../mapping/user-group-rules.ts';
import { withoutSecrets } from '../../../mapping/variables.ts';

@SchemaName('StatusReason')
export class StatusReasonView {
  @Text(
    'Stable code; a code of a field error, `suspended`, `expired` or `tokens_ended`.',
    'required',
  )
  code!: string;

  @Text.optional(
    'JSON Pointer of the place in the group that has to change, if there is one.',
    '/properties/plan',
  )
  pointer?: string;

  @Text(
    'Description for people.',
    'The workspace requires every user group to have this property, of the type string.',
  )
  detail!: string;
}

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

  @Time.orNull(
    'Time from which on none of its tokens can be introspected, or null: it does not end.',
  )
  valid_until!: string | null;

  @Text.orNull('The set of groups as code that it belongs to, or null.', 'production')
  managed_by!: string | null;

  @CodeOf(
    groupStatuses,
    'Whether its tokens can be introspected. `suspended`: a request has suspended it. `expired`: its `valid_until` has passed. `incomplete`: it lacks something that the workspace requires. `no_valid_token`: its token was ended together with others, and it has no other one yet. `unresolved`: its tokens are active, but its mapping names something that is not in the registry, against the policy `registered`. If several apply, the first.',
    'active',
  )
  status!: GroupStatus;

  @ListOf(StatusReasonView, 'Everything that keeps the group from being `active`; empty if it is.')
  reasons!: StatusReason[];

  @Time.orNull(
    'Time of its suspension, since when none of its tokens can be introspected, or null.',
  )
  suspended_at!: string | null;

  @Time('When it was created.')
  created_at!: string;

  @Time('Time of the last change; a rotation of its token does not count.')
  updated_at!: string;
}

/** The response to every operation on one group except DELETE. */
@BaseSchema('UserGroupResponse')
export class UserGroupResponse extends response(
  'user_group',
  UserGroupResource,
  'The user group as it is now.',
) {}

export class UserGroupsResponse extends page('user_groups', UserGroupResource, 'The user groups.') {
  @TotalOf()
  total?: Total;
}

/** Equal states give equal JSON, whatever the order of their rows. @param standing its status, by the rules of its workspace */
export function toUserGroupResource(
  group: UserGroupState,
  providedId: string,
  standing: Standing,
): UserGroupResource {
  const body = bodyOf(group);
  return {
    team_id: group.id,
    provided_id: providedId,
    ...body,
    mapping: sortedMapping(body.mapping),
    managed_by: group.managedBy,
    ...standing,
    suspended_at: toWireTimeOrNull(group.suspendedAt),
    created_at: toWireTime(group.createdAt),
    updated_at: toWireTime(group.updatedAt),
  };
}

/** Makes the response for one page. The properties are stored as JSON, and become part of it unchanged but for secrets. */
export function toUserGroupsResponse(
  groups: readonly (UserGroupState & { providedId: string })[],
  rules: UserGroupRules,
  { next_cursor: nextCursor, total }: { next_cursor?: string; total: Total | undefined },
): JsonText {
  const texts = groups.map((group) => {
    const rest = toUserGroupResource(
      { ...group, properties: '{}' },
      group.providedId,
      statusOf(group, rules),
    );
    // No text and no mapping contains this: a text would escape it, and a mapping contains no objects.
    const properties = withoutSecrets(group.properties, rules.variables);
    return JSON.stringify(rest).replace('"properties":{}', () => `"properties":${properties}`);
  });
  const more =
    nextCursor === undefined ? 'false' : `true,"next_cursor":${JSON.stringify(nextCursor)}`;
  const counted = total === undefined ? '' : `,"total":${JSON.stringify(total)}`;
  return new JsonText(
    `{"success":1,"user_groups":[${texts.join(',')}],"has_more":${more}${counted}}`,
  );
}

export function sortedMapping(mapping: Mapping): Mapping {
  return Object.fromEntries(
    Object.entries(mapping).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}
