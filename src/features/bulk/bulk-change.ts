import { PreconditionFailed, ValidationFailed } from '../../platform/common/problem/errors.ts';
import { currentTime } from '../../platform/common/time.ts';
import { UserGroupNotFound } from '../../core/user-group/group/user-group.errors.ts';
import type { StoredUserGroup } from '../../core/user-group/group/user-group.repository.ts';
import type { UserGroupFilterDto } from '../../core/user-group/resource/dto/user-group-query.dto.ts';
import type { Flaw } from '../../core/user-group/status/user-group-status.ts';
import type { Wanted } from '../../core/user-group/writing/user-group-change.ts';
import type { Needed } from './bulk-writes.ts';
import type { BulkAction, ChangeUserGroupsRequest } from './dto/bulk-change.dto.ts';

const WRITING: Needed = ['user-groups:write', 'Changing many groups'];
const LISTING: Needed = ['user-groups:read', 'Changing groups that the call does not name'];
const ROTATING: Needed = ['tokens:rotate', 'Rotating the tokens of many groups'];

/** A bulk change with its defaults. */
export interface BulkChange {
  action: BulkAction;
  graceSeconds: number;
  /** Tokens issued from this time on are not rotated, in milliseconds since 1970. */
  issuedBefore: number;
  /** Whether it is for groups without a valid token alone. */
  isForEnded: boolean;
}

/** A group to change. */
export interface NamedGroup {
  id: string;
  /** Its version when it passed the filters. */
  version?: number;
}

/** Returns the change that a call asks for. @param startedAt the time of the call, in milliseconds since 1970 */
export function changeOfRequest(
  { action, issued_before, grace_period_seconds }: ChangeUserGroupsRequest,
  { status }: UserGroupFilterDto,
  defaultGraceSeconds: number,
  startedAt: number,
): BulkChange {
  return {
    action,
    graceSeconds: grace_period_seconds ?? defaultGraceSeconds,
    issuedBefore: issued_before === undefined ? startedAt : Date.parse(issued_before),
    isForEnded: status === 'no_valid_token',
  };
}

/** Returns the permissions of an action. @param namesGroups whether the caller has named each group */
export function neededFor(action: BulkAction, namesGroups: boolean): Needed[] {
  return [WRITING, ...(action === 'rotate' ? [ROTATING] : []), ...(namesGroups ? [] : [LISTING])];
}

/**
 * Returns what the action wants of a group.
 * @throws UserGroupNotFound, PreconditionFailed if the group is not as it was when it passed the filters
 */
export function wantedOf(
  { action, graceSeconds, issuedBefore, isForEnded }: BulkChange,
  { version }: NamedGroup,
  stored: StoredUserGroup | undefined,
): Wanted {
  if (!stored) throw new UserGroupNotFound();
  // A token that was issued since then leaves the version as it is. A rotation does not replace that one.
  if (isForEnded && action !== 'rotate' && !stored.isTokenEnded) {
    throw new PreconditionFailed('The group has got another token since it passed the filters.');
  }
  if (action === 'delete') {
    // It may no longer match, and a deleted token cannot be restored.
    if (version !== undefined && version !== stored.version) {
      throw new PreconditionFailed('The group has changed since it passed the filters.');
    }
    return 'removal';
  }
  if (action !== 'rotate') return { suspended: action === 'suspend' };
  // A token with a time to come is from a clock that was ahead.
  const isDue = stored.tokenIssuedAt < issuedBefore || stored.tokenIssuedAt > currentTime();
  return isDue ? { replacement: { graceSeconds } } : {};
}

/** Returns the flaw of the groups that pass the filters, null for none; undefined if the filters admit several. */
export function requiredFlaw({ status }: UserGroupFilterDto): Flaw | null | undefined {
  if (status === 'active') return null;
  return status === 'incomplete' || status === 'unresolved' ? status : undefined;
}

/** @throws ValidationFailed unless the call says in exactly one way which groups it means */
export function requireSelection(
  { ids, all, action, ...rest }: ChangeUserGroupsRequest,
  filters: UserGroupFilterDto,
): void {
  // A script sends an empty text if its variable is not set, and every group contains it.
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '');
  const ways = [ids !== undefined, all === true, isFiltered].filter(Boolean).length;
  if (ways !== 1) {
    const detail = 'The call must have either ids, or a filter in its query, or all: true.';
    throw new ValidationFailed([
      { pointer: '/ids', code: ways === 0 ? 'required' : 'not_acceptable', detail },
    ]);
  }
  const isForRotation = rest.grace_period_seconds !== undefined || rest.issued_before !== undefined;
  if (action === 'rotate' || !isForRotation) return;
  const pointer =
    rest.grace_period_seconds === undefined ? '/issued_before' : '/grace_period_seconds';
  throw new ValidationFailed([
    { pointer, code: 'not_acceptable', detail: 'The field belongs to the action rotate.' },
  ]);
}
