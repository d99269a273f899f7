import { SchemaName } from '../../../platform/common/api-docs.ts';
import { Integer, Text } from '../../../platform/common/fields.ts';
import { page } from '../../../platform/common/http/responses/response.ts';

@SchemaName('Usage')
export class UsageView {
  @Text.optional(
    'The day, or the time in UTC at which the hour begins; absent with `by=group`.',
    '2030-01-01',
  )
  period?: string;

  @Integer.optional('With `by=group`: internal id of the group.', 1)
  team_id?: number;

  @Text.optionalOrNull(
    'With `by=group`: your own id of the group; null if it is deleted.',
    'acme-emea',
  )
  provided_id?: string | null;

  @Text.optionalOrNull('With `by=group`: name of the group; null if it is deleted.', 'Acme EMEA')
  name?: string | null;

  @Integer('Views that renderers have reported.', 5120)
  views!: number;

  @Integer('Embed tokens, and tokens for targets, that were issued.', 40)
  embed_tokens!: number;

  @Integer('Introspections of valid tokens that have reached the service. They are no views.', 96)
  introspections!: number;

  @Integer.orNull(
    'Distinct users whom views and embed tokens have named, of each group by itself; null for hours, and for days of another time zone than UTC.',
    17,
  )
  users!: number | null;
}

export class UsageResponse extends page('usage', UsageView, 'The entries.') {}
