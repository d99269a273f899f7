import { EVENT_ID_EXAMPLE, toEventId } from '../../../../core/audit/event-id.ts';
import { SchemaName } from '../../../../platform/common/api-docs.ts';
import { Flag, Integer, ListOf, Nested, Text, Time } from '../../../../platform/common/fields.ts';
import { SuccessResponse } from '../../../../platform/common/http/responses/response.ts';
import { toWireTime } from '../../../../platform/common/time.ts';
import type { ChangeRecord } from '../../../../core/change-log/change-reader.ts';

/** The user group of an event. */
export class ChangedUserGroup {
  @Integer('Its `team_id`.', 7)
  team_id!: number;

  @Text('Your own id of it.', 'acme-emea')
  provided_id!: string;

  @Text.optional('The id before, with `user_group.rename`.', 'acme')
  previous_provided_id?: string;

  @Integer.optional(
    'Version of the group after the change; grows with each change of the group itself.',
    3,
  )
  version?: number;

  @Integer.optional('Generation of the token, if the event is about one: 1 for the first.', 2)
  generation?: number;
}

/** A changed object other than a user group. */
export class ChangedObject {
  @Text('The kind of object: the noun of the `type` of the event.', 'api_token')
  type!: string;

  @Text('Its id, as the API knows it.', '3')
  id!: string;
}

/** Names the changed object and the kind of change, without values. */
@SchemaName('Event')
export class EventView {
  @Text(
    'Id of the event, which is that of its audit event and of its webhook. A repeated event has the same id.',
    EVENT_ID_EXAMPLE,
  )
  id!: string;

  @Text('The kind of event, as `noun.verb`: see the page Events.', 'user_group.update')
  type!: string;

  @Time('When it happened.')
  occurred_at!: string;

  @Nested.optional(ChangedUserGroup, 'The user group that has changed, or whose token has.')
  user_group?: ChangedUserGroup;

  @Nested.optional(
    ChangedObject,
    'The changed object, if it is not a user group. Without this and `user_group` anything may have changed.',
  )
  object?: ChangedObject;
}

export class EventsResponse extends SuccessResponse {
  @ListOf(EventView, 'The events, in the order of the changes.')
  events!: EventView[];

  @Text(
    'The `after` of the next request; present even if there is no event.',
    'azE.dGhlIHBvc2l0aW9uLCBlbmNyeXB0ZWQ',
  )
  next_cursor!: string;

  @Flag('Whether more events are available now.', false)
  has_more!: boolean;
}

export function toEventView(change: ChangeRecord): EventView {
  const { publicId, kind, userGroupId, objectId, previousObjectId, version, occurredAt } = change;
  const event = { id: toEventId(publicId), type: kind, occurred_at: toWireTime(occurredAt) };
  const [noun] = kind.split('.') as [string];
  if (userGroupId === null) {
    return { ...event, ...(objectId !== null && { object: { type: noun, id: objectId } }) };
  }
  return {
    ...event,
    user_group: {
      team_id: userGroupId,
      provided_id: objectId!,
      ...(previousObjectId !== null && { previous_provided_id: previousObjectId }),
      ...(version !== null && { [noun === 'user_group' ? 'version' : 'generation']: version }),
    },
  };
}
