import {
  type Check,
  Integer,
  ListOf,
  listOf,
  Nested,
  OneOf,
  choiceOf,
  orNull,
  QueryOneOf,
  Rule,
  ShortText,
  Time,
} from '../../../platform/common/fields.ts';
import { type Scope, scopes } from '../../../platform/common/access/caller.ts';
import type { UserGroupRange } from '../../../platform/common/access/user-group-range.ts';
import { CountedQueryDto } from '../../../platform/common/http/parameters/total.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { graceViolations, MAX_GRACE_SECONDS } from '../../../platform/common/grace.ts';
import { identifierViolations } from '../../../platform/common/text.ts';
import { currentTime, fromWireTime, timeViolations } from '../../../platform/common/time.ts';
import { cidrViolations } from '../cidr.ts';
import { UserGroupRangeDto, userGroupRangeViolations } from './user-group-range.dto.ts';
import { type ApiTokenState, apiTokenStates } from './api-token-response.dto.ts';

const NAME = ['Purpose of the token, for people: 1–255 code points.', 'billing'] as const;
const SCOPES = [
  scopes,
  'The rights of the token; a scope implies no other.',
  ['user-groups:read'],
  { isArray: true, minItems: 1, uniqueItems: true },
] as const;

/** Judges by the scopes of the moment: plugins add theirs later. */
const scopesViolations: Check = (value, pointer) =>
  listOf(choiceOf(scopes), { least: 1, most: scopes.length })(value, pointer);

export class ApiTokenQueryDto extends CountedQueryDto {
  @QueryOneOf.optional(apiTokenStates, 'Only tokens in this state.')
  @Rule(choiceOf(apiTokenStates))
  state?: ApiTokenState;
}

/** The limits of an API token. */
export class LimitsDto {
  @Time.optionalOrNull(
    'Expiry, or null for none. If absent, a new token does not expire, and an existing one keeps its expiry.',
    '2099-12-31T00:00:00Z',
  )
  @Rule(orNull(expiryViolations))
  expires_at?: string | null;

  @ListOf.optionalOrNull(
    String,
    'Addresses and CIDR ranges it may be used from, at most 50, or null for any. If absent, an existing token keeps its own. `::/0` is every IPv6 address, and no IPv4 address. Behind a proxy the service needs TRUST_PROXY.',
    ['10.0.0.0/8', '2001:db8::/32'],
    { minItems: 1, maxItems: 50 },
  )
  @Rule(cidrViolations)
  allowed_cidrs?: string[] | null;

  @Nested.optionalOrNull(
    UserGroupRangeDto,
    'The user groups that exist for the token, or null for all. If absent, an existing token keeps its own. A token for certain groups can call the operations with `x-restricted-tokens` alone.',
  )
  @Rule(orNull(userGroupRangeViolations))
  user_groups?: UserGroupRange | null;
}

/** The body that issues an API token. */
export class CreateApiTokenRequest extends LimitsDto {
  @ShortText(...NAME)
  @Rule(identifierViolations, { required: 'The field name is required.' })
  name!: string;

  @OneOf(...SCOPES)
  @Rule(scopesViolations, { required: 'The field scopes is required.' })
  scopes!: Scope[];
}

/** Fields that are not sent stay as they are. */
export class UpdateApiTokenRequest extends LimitsDto {
  @ShortText.optional(...NAME)
  @Rule(identifierViolations)
  name?: string;

  @OneOf.optional(...SCOPES)
  @Rule(scopesViolations)
  scopes?: Scope[];
}

/** The body that rotates an API token. */
export class RotateApiTokenRequest {
  @Integer.optional('Seconds for which the old token stays valid.', 3600, {
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: 0,
  })
  @Rule(graceViolations)
  grace_period_seconds?: number;
}

function expiryViolations(value: unknown, pointer: string): Violation[] {
  const violations = timeViolations(value, pointer);
  if (violations.length > 0 || fromWireTime(value as string) > currentTime()) return violations;
  const detail = 'The expiry must be a moment in the future.';
  return [{ pointer, code: 'not_acceptable', detail }];
}
