import { digits, Integer, Rule, Text } from '../../../platform/common/fields.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { CountedQueryDto } from '../../../platform/common/http/parameters/total.ts';
import { areGlobsOf } from '../../../platform/common/globs.ts';
import { auditActions } from '../audit-actions.ts';
import { identifierViolations, searchViolations } from '../../../platform/common/text.ts';
import { timeViolations } from '../../../platform/common/time.ts';

/** Events must match every given filter. No parameter has an example, because the docs page would send it. */
export class AuditEventQueryDto extends CountedQueryDto {
  @Text.optional(
    'Only events with these actions, separated by commas, where `*` stands for any characters: `user_group.update`, `user_group.*`.',
  )
  @Rule((value, pointer) =>
    auditTypesViolations(typeof value === 'string' ? value.split(',') : [], pointer),
  )
  types?: string;

  @Text.optional('Only events of objects of this kind, such as `user_group`.')
  @Rule(identifierViolations)
  object_type?: string;

  @Text.optional(
    'Only events of the object with this id, as the API knows it: of a group your own id.',
  )
  @Rule(identifierViolations)
  object_id?: string;

  @Integer.optional('Only events of the API token with this number.')
  @Rule(digits(0))
  api_token_id?: string;

  @Text.optional('Only events of the request with this `X-Request-Id`.')
  @Rule(identifierViolations)
  request_id?: string;

  @Text.optional('Events of this moment and later, such as 2030-01-01T00:00:00Z.', undefined, {
    format: 'date-time',
  })
  @Rule(timeViolations)
  from?: string;

  @Text.optional('Events before this moment.', undefined, { format: 'date-time' })
  @Rule(timeViolations)
  to?: string;

  @Text.optional(
    'The action, the id of the object, the `X-Request-Id`, or the JSON of what changed or of the details contains this text, in upper or lower case.',
  )
  @Rule(searchViolations)
  search?: string;
}

/** Accepts globs that each match an action of the log. */
export function auditTypesViolations(value: unknown, pointer: string): Violation[] {
  if (areGlobsOf(value, auditActions)) return [];
  const detail =
    'Each of the types must match an action of the audit log, such as user_group.* does.';
  return [{ pointer, code: 'not_acceptable', detail }];
}
