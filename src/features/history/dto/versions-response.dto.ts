import { BaseSchema, SchemaName } from '../../../platform/common/api-docs.ts';
import {
  AnyObject,
  AnyValue,
  CodeOf,
  Integer,
  ListOf,
  Nested,
  Text,
  Time,
} from '../../../platform/common/fields.ts';
import { page, response } from '../../../platform/common/http/responses/response.ts';
import type { JsonObject, JsonValue } from '../../../platform/common/json/strict-json.ts';
import { toWireTime, toWireTimeOrNull } from '../../../platform/common/time.ts';
import type { Mapping } from '../../../core/user-group/group/mapping.ts';
import { bodyOf } from '../../../core/user-group/group/user-group-fields.ts';
import type { UserGroupVersionState } from '../../../core/user-group/history/user-group-history.repository.ts';
import type { VersionEvent } from '../version-authors.ts';
import {
  changeOfVersion,
  type StateDifference,
  type VersionChange,
  versionChanges,
} from '../version-changes.ts';
import {
  type GroupStatus,
  groupStatuses,
  type Standing,
  type StatusReason,
} from '../../../core/user-group/status/user-group-status.ts';
import {
  sortedMapping,
  StatusReasonView,
} from '../../../core/user-group/resource/dto/user-group-resource-response.dto.ts';

const endings = ['change', 'deletion'] as const;

class VersionAuthor {
  @CodeOf(['api_token', 'operator', 'service'], 'As `actor.type` of the audit log.', 'api_token')
  type!: string;

  @Integer.optional('Id of the API token.', 1)
  api_token_id?: number;

  @Text.optional('The name that the API token has now, or that of its person.', 'backend')
  name?: string;
}

/** One state that a group had, without its content. */
@BaseSchema('UserGroupVersion')
export class VersionView {
  @Integer('1 for the state in which the group was created, one more for each change.', 3)
  version!: number;

  @Integer(
    'The group that had this state. A group that is created again has another one, and other versions.',
    1,
  )
  team_id!: number;

  @Text('The name of the group in this state.', 'Acme EMEA')
  name!: string;

  @CodeOf.orNull(
    versionChanges,
    'The cause of this state. `update`: a write, which may also have suspended or resumed the group. null: the state before it is no longer kept.',
    'update',
  )
  change!: VersionChange | null;

  @ListOf(
    String,
    'The fields that differ from the version before; empty for the first one, or if it is not known.',
    ['properties'],
  )
  changed!: string[];

  @Time('When the group got this state.')
  recorded_at!: string;

  @Time.orNull('When the group lost this state; null for its present one.')
  replaced_at!: string | null;

  @CodeOf.orNull(
    endings,
    'The end of this state: the next version, or the deletion of the group; null for its present one.',
    'change',
  )
  ended_by!: (typeof endings)[number] | null;

  @Nested.optionalOrNull(
    VersionAuthor,
    'Its author. null: the audit log has no such event. Absent without the scope `audit:read`.',
  )
  author?: VersionAuthor | null;

  @Integer.optional('The version that a restore has written again, if the audit log has it.', 1)
  restored_version?: number;
}

/** One state that a group had. */
@SchemaName('UserGroupVersionContent')
export class VersionContentView extends VersionView {
  @AnyObject(
    'Schema id → data source, as it was sent.',
    { billing: 42, sales: 'warehouse-emea' },
    { additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }] } },
  )
  mapping!: Mapping;

  @AnyObject('Variables for dashboards and SQL.', { region: 'EMEA', seats: 25 })
  properties!: JsonObject;

  @Time.orNull('Time from which on none of its tokens could be introspected, or null.')
  valid_until!: string | null;

  @CodeOf(
    groupStatuses,
    'The status that the group had at the end of this state, by the requirements of that time; for the present state, its status now.',
    'active',
  )
  status!: GroupStatus;

  @ListOf(StatusReasonView, 'Everything that kept the group from being `active`; empty if it was.')
  reasons!: StatusReason[];

  @Time.orNull('Time of its suspension, or null.')
  suspended_at!: string | null;
}

class DifferenceView {
  @Text('JSON Pointer of the place: of objects the member that differs.', '/properties/seats')
  pointer!: string;

  @AnyValue.optional('The value in the version `compare_with`; absent if it had none.', 25)
  was?: JsonValue;

  @AnyValue.optional('The value in this version; absent if it has none.', 40)
  is?: JsonValue;
}

export class UserGroupVersionsResponse extends page(
  'versions',
  VersionView,
  'The versions, newest first.',
) {}

export class UserGroupVersionResponse extends response(
  'version',
  VersionContentView,
  'The version.',
) {
  @ListOf.optional(
    DifferenceView,
    'With `compare_with`: the differences from that version to this one.',
  )
  differences?: StateDifference[];
}

type KnownVersion = UserGroupVersionState & { event: VersionEvent | undefined };

function toAuthor({ actorType, apiTokenId, name }: VersionEvent): VersionAuthor {
  return {
    type: actorType,
    ...(apiTokenId !== null && { api_token_id: apiTokenId }),
    ...(name !== null && { name }),
  };
}

function restoredBy({ details }: VersionEvent): Pick<VersionView, 'restored_version'> {
  const { restored_version } = JSON.parse(details) as Pick<VersionView, 'restored_version'>;
  return restored_version === undefined ? {} : { restored_version };
}

/** @param before the state that it has replaced, if it is known */
export function toVersionView(
  state: KnownVersion,
  before: UserGroupVersionState | undefined,
  showsAuthor: boolean,
): VersionView {
  const { id, version, name, updatedAt, replacedAt, tokens, event } = state;
  return {
    version,
    team_id: id,
    name,
    ...changeOfVersion(state, before),
    recorded_at: toWireTime(updatedAt),
    replaced_at: toWireTimeOrNull(replacedAt),
    ended_by: replacedAt === null ? null : tokens === null ? 'change' : 'deletion',
    ...(showsAuthor && { author: event ? toAuthor(event) : null }),
    ...(event && restoredBy(event)),
  };
}

export function toVersionContentView(
  state: KnownVersion,
  before: UserGroupVersionState | undefined,
  standing: Standing,
  showsAuthor: boolean,
): VersionContentView {
  const body = bodyOf(state);
  return {
    ...toVersionView(state, before, showsAuthor),
    ...body,
    mapping: sortedMapping(body.mapping),
    ...standing,
    suspended_at: toWireTimeOrNull(state.suspendedAt),
  };
}
