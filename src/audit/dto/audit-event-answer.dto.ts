import { ApiProperty, ApiPropertyOptional } from '../../common/api-docs.ts';
import { SUCCESS } from '../../common/http/answer-fields.ts';

class ActorView {
  @ApiProperty({
    description:
      '`api_token`: a call of the API. `operator`: the command line or the start of the service. `service`: the service itself, which nobody has asked. `unknown`: a refused call whose token is nobody’s.',
    enum: ['api_token', 'operator', 'service', 'unknown'],
    example: 'api_token',
  })
  type!: string;

  @ApiPropertyOptional({ description: 'Which API token.', type: 'integer', example: 1 })
  api_token_id?: number;

  @ApiPropertyOptional({ description: 'IP address of the client.', example: '203.0.113.9' })
  address?: string;

  @ApiPropertyOptional({ description: 'The `X-Request-Id` of the call.', example: 'order-4711' })
  request_id?: string;
}

class ObjectView {
  @ApiProperty({ description: 'The kind of thing.', example: 'user_group' })
  type!: string;

  @ApiProperty({ description: 'Its id, as the API knows it.', example: 'acme-emea' })
  id!: string;
}

/** One event of the audit log. */
export class AuditEventView {
  @ApiProperty({
    description: 'Number of the event, drawn at random; `time` tells the order.',
    type: 'integer',
    format: 'int64',
    example: 5_377_108_433_215_711,
  })
  id!: number;

  @ApiProperty({
    description: 'When it happened.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  time!: string;

  @ApiProperty({
    description: 'What was done: `noun.verb`; docs/audit-log.md lists them.',
    example: 'user_group.update',
  })
  action!: string;

  @ApiProperty({ description: 'Who did it.', type: () => ActorView })
  actor!: ActorView;

  @ApiPropertyOptional({ description: 'What it was done to.', type: () => ObjectView })
  object?: ObjectView;

  @ApiPropertyOptional({
    description: 'The fields that changed, as they were.',
    type: 'object',
    additionalProperties: true,
    example: { name: 'Acme EMEA' },
  })
  before?: object;

  @ApiPropertyOptional({
    description: 'The fields that changed, as they became.',
    type: 'object',
    additionalProperties: true,
    example: { name: 'Acme Europe' },
  })
  after?: object;

  @ApiPropertyOptional({
    description: 'What else there is to say, such as the code of a refusal.',
    type: 'object',
    additionalProperties: true,
    example: { code: 'insufficient_scope', method: 'POST', path: '/api/user' },
  })
  details?: object;
}

/** One page of the audit log. */
export class AuditEventsAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The events, newest first.', type: () => [AuditEventView] })
  audit_events!: AuditEventView[];

  @ApiPropertyOptional({
    description: 'The `cursor` of the next page; absent on the last.',
    example: 'WzE3OTUwMDAwMDAwMDAsNDJd',
  })
  next_cursor?: string;
}
