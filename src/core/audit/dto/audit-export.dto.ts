import {
  Flag,
  Integer,
  ListOf,
  Nested,
  Rule,
  Text,
  Time,
  wholeNumber,
} from '../../../platform/common/fields.ts';
import { identifierViolations, searchViolations } from '../../../platform/common/text.ts';
import { timeViolations } from '../../../platform/common/time.ts';
import { auditTypesViolations } from './audit-event-query.dto.ts';

/** The filters of the list; exports all events without any. */
export class ExportAuditEventsRequest {
  @ListOf.optional(
    String,
    'Only events with these actions, where `*` stands for any characters.',
    ['user_group.*'],
    {
      minItems: 1,
      maxItems: 50,
    },
  )
  @Rule(auditTypesViolations)
  types?: string[];

  @Text.optional('Only events of objects of this kind.', 'user_group')
  @Rule(identifierViolations)
  object_type?: string;

  @Text.optional('Only events of the object with this id; of a group your own id.', 'acme-emea')
  @Rule(identifierViolations)
  object_id?: string;

  @Integer.optional('Only events that the API token with this number has caused.', 1)
  @Rule(wholeNumber(0, 999_999_999))
  api_token_id?: number;

  @Text.optional('Only events of the request with this `X-Request-Id`.', 'order-4711')
  @Rule(identifierViolations)
  request_id?: string;

  @Time.optional('Events of this moment and later.', '2030-01-01T00:00:00Z')
  @Rule(timeViolations)
  from?: string;

  @Time.optional('Events before this moment.', '2030-02-01T00:00:00Z')
  @Rule(timeViolations)
  to?: string;

  @Text.optional('Only events that the filter `search` of the list would find.', 'acme')
  @Rule(searchViolations)
  search?: string;
}

class AuditExportCounts {
  @Integer('Number of events.', 1)
  exported!: number;

  @Flag('Always true: an export that fails has no last line.', true)
  complete!: true;
}

/** The last line of an export; an export without it is incomplete. */
export class AuditExportSummary {
  @Nested(AuditExportCounts, 'The counts of the export.')
  summary!: AuditExportCounts;
}
