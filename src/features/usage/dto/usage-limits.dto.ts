import {
  Flag,
  flagViolations,
  Integer,
  orNull,
  Rule,
  wholeNumber,
} from '../../../platform/common/fields.ts';
import { SchemaName } from '../../../platform/common/api-docs.ts';
import { response } from '../../../platform/common/http/responses/response.ts';

const MAX = 1_000_000_000;
const RANGE = { minimum: 0, maximum: MAX };
const limit = Rule(orNull(wholeNumber(0, MAX)));

const PER_DAY = ['Embed tokens in a day of UTC; null: any number.', 1000, RANGE] as const;
const PER_MONTH = ['Users in a calendar month of UTC; null: any number.', 50, RANGE] as const;
const REFUSES = ['Whether embed tokens beyond their limit are refused.', false] as const;

/** Replaces all limits; those that are left out are removed. */
export class UserGroupLimitsRequest {
  @Integer.optionalOrNull(...PER_DAY)
  @limit
  embed_tokens_per_day?: number | null;

  @Integer.optionalOrNull(...PER_MONTH)
  @limit
  users_per_month?: number | null;

  @Flag.optional(...REFUSES)
  @Rule(flagViolations)
  refuse_embed_tokens?: boolean;
}

@SchemaName('UserGroupLimits')
export class UserGroupLimitsView {
  @Integer.orNull(...PER_DAY)
  embed_tokens_per_day!: number | null;

  @Integer.orNull(...PER_MONTH)
  users_per_month!: number | null;

  @Flag(...REFUSES)
  refuse_embed_tokens!: boolean;
}

export class UserGroupLimitsResponse extends response(
  'limits',
  UserGroupLimitsView,
  'The limits.',
) {}
