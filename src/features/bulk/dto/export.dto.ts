import {
  Flag,
  flagViolations,
  Integer,
  Nested,
  Rule,
  Text,
} from '../../../platform/common/fields.ts';
import { SET_NAME, setNameViolations } from '../set-name.ts';

export class ExportUserGroupsRequest {
  @Flag.optional(
    'Whether each line contains the token of its group. By default it does, unless `set` is sent.',
    true,
  )
  @Rule(flagViolations)
  include_tokens?: boolean;

  @Text.optional('Only groups of this set.', 'production', { pattern: SET_NAME })
  @Rule(setNameViolations)
  set?: string;
}

class ExportCounts {
  @Integer('Number of groups.', 1)
  exported!: number;

  @Flag('Always true: an export that fails has no last line.', true)
  complete!: true;
}

/** The last line of an export; an export without it is incomplete. An import ignores it. */
export class ExportSummary {
  @Nested(ExportCounts, 'The counts of the export.')
  summary!: ExportCounts;
}
