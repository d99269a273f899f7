import { toPointer } from '../../../platform/common/json-pointer.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import type { ViolationCode } from '../../../platform/common/problem/violation.ts';
import { currentTime } from '../../../platform/common/time.ts';
import {
  readResolvedMapping,
  type ResolvedEntry,
  type StoredMapping,
} from '../../mapping/resolved-mapping.ts';
import { missingRequirements, type UserGroupRules } from '../../mapping/user-group-rules.ts';

/** Whether the tokens of a group can be introspected, or why not: in all statuses but `unresolved` and `active` they cannot. */
export type GroupStatus =
  'suspended' | 'expired' | 'incomplete' | 'no_valid_token' | 'unresolved' | 'active';

/** The statuses, from the one that hides all others to the one without a reason. */
export const groupStatuses: readonly GroupStatus[] = [
  'suspended',
  'expired',
  'incomplete',
  'no_valid_token',
  'unresolved',
  'active',
];

/** The statuses that rules give a group, rather than its own fields. */
export type Flaw = 'incomplete' | 'unresolved';

/** Why a group is not active. Its pointer is a place in the group, if there is one. */
export interface StatusReason {
  code: ViolationCode | 'suspended' | 'expired' | 'tokens_ended';
  pointer?: string;
  detail: string;
}

/** The one status of a group, and everything that keeps it from being active, the most severe first. */
export interface Standing {
  status: GroupStatus;
  reasons: StatusReason[];
}

/** The parts of a group that decide its status. */
export interface Judged {
  suspendedAt: number | null;
  validUntil: number | null;
  /** JSON text of an object. */
  properties: string;
  mapping?: StoredMapping;
  /** Whether its current token was ended together with others. */
  isTokenEnded?: boolean | 0 | 1 | null;
}

/** Every reason that a group has, by status. */
type ReasonsByStatus = Partial<Record<GroupStatus, StatusReason[]>>;

const TOKENS_ENDED: StatusReason = {
  code: 'tokens_ended',
  detail:
    'Its token was ended together with all others of the workspace. Rotate it, and the group has a fresh one (the next GET or PUT /api/user does so, too).',
};

/** Judges a group. Every place that shows a status, or refuses something because of it, uses this function. */
export function statusOf(group: Judged, rules: UserGroupRules, now = currentTime()): Standing {
  const { suspendedAt, validUntil } = group;
  const found = flawsOf(group, rules);
  if (suspendedAt !== null) {
    found.suspended = [{ code: 'suspended', detail: 'The group is suspended.' }];
  }
  if (validUntil !== null && validUntil <= now) {
    found.expired = [{ code: 'expired', pointer: '/valid_until', detail: 'The group has ended.' }];
  }
  if (group.isTokenEnded) found.no_valid_token = [TOKENS_ENDED];
  const status = groupStatuses.find((one) => found[one]) ?? 'active';
  return { status, reasons: groupStatuses.flatMap((one) => found[one] ?? []) };
}

/** Returns the worst flaw of a group by the rules alone, as filters find it. */
export function flawOf(
  group: Pick<Judged, 'properties' | 'mapping'>,
  rules: UserGroupRules,
): Flaw | null {
  const found = flawsOf(group, rules);
  if (found.incomplete) return 'incomplete';
  return found.unresolved ? 'unresolved' : null;
}

/** Parses only what the rules are about. */
function flawsOf(
  group: Pick<Judged, 'properties' | 'mapping'>,
  rules: UserGroupRules,
): ReasonsByStatus {
  const { policy, variables, requiredSchemas } = rules;
  const reasons: ReasonsByStatus = {};
  if (policy === 'open' && variables.length + requiredSchemas.length === 0) return reasons;
  const properties = variables.length > 0 ? (JSON.parse(group.properties) as JsonObject) : {};
  const mapping = readResolvedMapping(group.mapping);
  const incomplete = missingRequirements(rules, { properties, mapping });
  if (incomplete.length > 0) {
    reasons.incomplete = incomplete.map(({ pointer, code, detail }) => ({ code, pointer, detail }));
  }
  if (policy === 'open') return reasons;
  const unresolved = mapping.filter(({ schema, source }) => !schema || !source).map(toUnresolved);
  if (unresolved.length > 0) reasons.unresolved = unresolved;
  return reasons;
}

function toUnresolved({ schemaId, schema }: ResolvedEntry): StatusReason {
  const kind = schema ? 'data source' : 'schema';
  const detail = `The mapping of this schema names no registered ${kind}.`;
  return {
    code: schema ? 'unknown_data_source' : 'unknown_schema',
    pointer: toPointer(['mapping', schemaId]),
    detail,
  };
}
