import { ApiProperty, ApiPropertyOptional } from '../../common/api-docs.ts';
import { type Scope, scopes } from '../../common/caller.ts';
import type { Violation } from '../../common/violation.ts';
import { Obeys } from '../../common/json/obeys.decorator.ts';
import { graceViolations, MAX_GRACE_SECONDS } from '../../common/grace.ts';
import { identifierViolations } from '../../common/text.ts';
import { fromWireTime, timeViolations } from '../../common/time.ts';
import { cidrViolations } from '../cidr.ts';

const NAME = {
  description: 'What the token is for, for people: 1–255 code points.',
  minLength: 1,
  maxLength: 255,
  example: 'billing',
};
const SCOPES = {
  description: 'What the token may do; a scope implies no other.',
  enum: scopes,
  isArray: true,
  minItems: 1,
  uniqueItems: true,
  example: ['user-groups:read'],
};
/** What limits an API token. */
export class LimitsDto {
  @ApiPropertyOptional({
    description:
      'When it ends by itself; null: never. Absent: never for a new token, no change for another.',
    type: String,
    nullable: true,
    format: 'date-time',
    example: '2099-12-31T00:00:00Z',
  })
  @Obeys(expiryViolations)
  expires_at?: string | null;

  @ApiPropertyOptional({
    description:
      'The addresses and CIDR ranges it may be used from, at most 50; null: from anywhere. Absent: from anywhere for a new token, no change for another. A range of IPv6 has no IPv4 address: `::/0` is every IPv6 address. Behind a proxy the service needs TRUST_PROXY to see the client’s address.',
    type: [String],
    nullable: true,
    minItems: 1,
    maxItems: 50,
    example: ['10.0.0.0/8', '2001:db8::/32'],
  })
  @Obeys(cidrViolations)
  allowed_cidrs?: string[] | null;
}

/** The body that issues an API token. */
export class IssueApiTokenDto extends LimitsDto {
  @ApiProperty(NAME)
  @Obeys(identifierViolations, { required: 'The field name is required.' })
  name!: string;

  @ApiProperty(SCOPES)
  @Obeys(scopesViolations, { required: 'The field scopes is required.' })
  scopes!: Scope[];
}

/** The body that changes an API token: fields that are not sent stay as they are. */
export class UpdateApiTokenDto extends LimitsDto {
  @ApiPropertyOptional(NAME)
  @Obeys(identifierViolations)
  name?: string;

  @ApiPropertyOptional(SCOPES)
  @Obeys(scopesViolations)
  scopes?: Scope[];
}

/** The body that rotates an API token. */
export class RotateApiTokenDto {
  @ApiPropertyOptional({
    description: 'For how long the old token stays valid beside the new one, in seconds.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: 0,
    example: 3600,
  })
  @Obeys(graceViolations)
  grace_period_seconds?: number;
}

function scopesViolations(value: unknown, pointer: string): Violation[] {
  if (!Array.isArray(value)) {
    return [{ pointer, code: 'type', detail: 'The scopes must be a list.' }];
  }
  if (value.length === 0) {
    return [{ pointer, code: 'empty', detail: 'At least one scope is needed.' }];
  }
  return value.flatMap((scope: unknown, index): Violation[] => {
    const place = `${pointer}/${index}`;
    if (!scopes.includes(scope as Scope)) {
      const detail = `Scopes are ${scopes.join(', ')}.`;
      return [{ pointer: place, code: 'not_acceptable', detail }];
    }
    const detail = 'The scope is listed twice.';
    const isRepeated = value.indexOf(scope) < index;
    return isRepeated ? [{ pointer: place, code: 'not_acceptable', detail }] : [];
  });
}

function expiryViolations(value: unknown, pointer: string): Violation[] {
  if (value === null) return [];
  const violations = timeViolations(value, pointer);
  if (violations.length > 0 || fromWireTime(value as string) > Date.now()) return violations;
  const detail = 'The expiry must be a moment in the future.';
  return [{ pointer, code: 'not_acceptable', detail }];
}
