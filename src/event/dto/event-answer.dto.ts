import { ApiProperty, ApiPropertyOptional } from '../../common/api-docs.ts';
import { SUCCESS } from '../../common/http/answer-fields.ts';
import { toWireTime } from '../../common/time.ts';
import type { ChangeRecord } from '../../database/change-reader.ts';

/** The user group that has changed. */
export class ChangedUserGroup {
  @ApiProperty({ description: 'Its `team_id`.', type: 'integer', example: 7 })
  team_id!: number;

  @ApiProperty({ description: 'Your own id of it.', example: 'acme-emea' })
  user_group_id!: string;

  @ApiPropertyOptional({
    description:
      'How often it has been written by then; grows with each change of the group itself.',
    type: 'integer',
    example: 3,
  })
  version?: number;

  @ApiPropertyOptional({
    description: 'Which of its tokens, where the event is about one: 1 for the first.',
    type: 'integer',
    example: 2,
  })
  generation?: number;
}

/** What has changed, where it is no user group. */
export class ChangedObject {
  @ApiProperty({ description: 'The kind of thing.', example: 'api_token' })
  type!: string;

  @ApiProperty({ description: 'Its id, as the API knows it.', example: '3' })
  id!: string;
}

/** Something that has changed: what, not how; whoever needs more asks for it. */
export class EventView {
  @ApiProperty({
    description:
      'Number of the event, that of its audit event. An event that comes again has the same.',
    type: 'integer',
    format: 'int64',
    example: 5_377_108_433_215_711,
  })
  id!: number;

  @ApiProperty({
    description: 'What has happened: `noun.verb`; docs/events.md lists them.',
    example: 'user_group.update',
  })
  type!: string;

  @ApiProperty({
    description: 'When it happened.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  time!: string;

  @ApiPropertyOptional({
    description: 'The user group that has changed, or whose token has.',
    type: () => ChangedUserGroup,
  })
  user_group?: ChangedUserGroup;

  @ApiPropertyOptional({
    description: 'What else has changed. Without this and `user_group` it may be anything.',
    type: () => ChangedObject,
  })
  object?: ChangedObject;
}

/** Events from one position in the feed to another. */
export class EventsAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({
    description: 'The events, in the order of the changes.',
    type: () => [EventView],
  })
  events!: EventView[];

  @ApiProperty({
    description: 'The `after` of the next call; it is given even if there was no event.',
    example: 'azE.dGhlIHBvc2l0aW9uLCBlbmNyeXB0ZWQ',
  })
  next_cursor!: string;

  @ApiProperty({ description: 'Whether more events can be had at once.', example: false })
  has_more!: boolean;
}

export function toEventView(change: ChangeRecord): EventView {
  const { publicId, kind, userGroupId, objectId, version, occurredAt } = change;
  const event = { id: publicId, type: kind, time: toWireTime(occurredAt) };
  const [noun] = kind.split('.') as [string];
  if (userGroupId === null) {
    return { ...event, ...(objectId !== null && { object: { type: noun, id: objectId } }) };
  }
  return {
    ...event,
    user_group: {
      team_id: userGroupId,
      user_group_id: objectId!,
      ...(version !== null && { [noun === 'user_group' ? 'version' : 'generation']: version }),
    },
  };
}
