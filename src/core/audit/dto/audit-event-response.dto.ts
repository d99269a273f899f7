import { SchemaName } from '../../../platform/common/api-docs.ts';
import { AnyObject, CodeOf, Integer, Nested, Text, Time } from '../../../platform/common/fields.ts';
import { EVENT_ID_EXAMPLE } from '../event-id.ts';
import { page } from '../../../platform/common/http/responses/response.ts';
import { Total, TotalOf } from '../../../platform/common/http/parameters/total.ts';

class AuditEventActor {
  @CodeOf(
    ['api_token', 'operator', 'service', 'unknown'],
    '`api_token`: a call of the API. `operator`: the command line or the start of the service. `service`: the service itself. `unknown`: a refused request with an unknown token or none.',
    'api_token',
  )
  type!: string;

  @Integer.optional('Id of the API token.', 1)
  api_token_id?: number;

  @Text.optional('IP address of the client.', '203.0.113.9')
  address?: string;

  @Text.optional('The `X-Request-Id` of the call.', 'order-4711')
  request_id?: string;
}

class AuditEventObject {
  @Text('The kind of object; the filter `object_type` takes it.', 'user_group')
  type!: string;

  @Text('Its id, as the API knows it.', 'acme-emea')
  id!: string;
}

@SchemaName('AuditEvent')
export class AuditEventView {
  @Text('Id of the event, drawn at random; `occurred_at` gives the order.', EVENT_ID_EXAMPLE)
  id!: string;

  @Time('When it happened.')
  occurred_at!: string;

  @Text('The action, as `noun.verb`: see the page Audit log.', 'user_group.update')
  action!: string;

  @Nested(AuditEventActor, 'The author.')
  actor!: AuditEventActor;

  @Nested.optional(AuditEventObject, 'The changed or shown object. Absent if the action has none.')
  object?: AuditEventObject;

  @AnyObject.optional('The fields that changed, as they were.', { name: 'Acme EMEA' })
  before?: object;

  @AnyObject.optional('The fields that changed, as they became.', { name: 'Acme Europe' })
  after?: object;

  @AnyObject.optional('Further details, such as the code of a refusal.', {
    code: 'insufficient_scope',
    method: 'POST',
    path: '/api/user',
  })
  details?: object;
}

export class AuditEventsResponse extends page(
  'audit_events',
  AuditEventView,
  'The events, newest first.',
) {
  @TotalOf()
  total?: Total;
}
