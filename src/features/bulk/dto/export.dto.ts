import { Flag, flagViolations, Integer, Nested, Rule } from '../../../platform/common/fields.ts';

export class ExportUserGroupsRequest {
  @Flag.optional('Whether each line contains the token of its group.', true, { default: true })
  @Rule(flagViolations)
  include_tokens?: boolean;
}

class ExportCounts {
  @Integer('Number of groups.', 1)
  exported!: number;

  @Flag('Always true: an export that fails has no last line.', true)
  complete!: true;
}

/** The last line of an export; an export without it is incomplete. An import ignores it. */
export class ExportSummary {
  @Nested(ExportCounts, 'What was exported.')
  summary!: ExportCounts;
}
