import { type EntityManager, IsNull, Like, Not } from 'typeorm';
import type { Caller } from '../../platform/common/access/caller.ts';
import { isWithinRange, parseRange } from '../../platform/common/access/user-group-range.ts';
import { GrantExceedsCaller, LastAdminApiToken } from './api-token.errors.ts';
import { currentTime } from '../../platform/common/time.ts';
import { ApiToken } from './api-token.entity.ts';
import { areWithin, isInRanges, toRanges } from './cidr.ts';

/** The permissions of a token. Scopes and ranges are separated by spaces; null means no expiry, any address, or all user groups. */
export type Grant = Pick<ApiToken, 'scopes' | 'expiresAt' | 'allowedCidrs' | 'userGroups'>;

export function hasEnded({ revokedAt, expiresAt }: ApiToken): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= currentTime());
}

/**
 * Refuses a grant that exceeds the caller's own: another scope, a longer life, a wider range of addresses or user groups.
 * @param own the caller's own token; undefined for the operator, who has every permission
 * @throws GrantExceedsCaller
 */
export function requireGrantable(own: ApiToken | undefined, grant: Grant): void {
  const excess = own && excessOf(grant, own);
  if (excess !== undefined) throw new GrantExceedsCaller(excess);
}

/**
 * Tells whether `wanted` exceeds `held` in any way. If so, the result must be grantable as a whole: a scope added to a
 * token that outlives the caller's own would be granted for that longer life.
 */
export function isWider(wanted: Grant, held: Grant): boolean {
  return excessOf(wanted, held) !== undefined;
}

/** Describes, to a caller who holds `held`, how `wanted` exceeds it; undefined if it does not. */
function excessOf(wanted: Grant, held: Grant): string | undefined {
  const scopes = held.scopes.split(' ');
  const missing = wanted.scopes.split(' ').find((scope) => !scopes.includes(scope));
  if (missing !== undefined) return `Your API token does not have the scope "${missing}".`;
  if ((wanted.expiresAt ?? Infinity) > (held.expiresAt ?? Infinity)) {
    return 'Your API token expires, so what it grants must expire no later.';
  }
  if (!areRangesWithin(wanted.allowedCidrs, held.allowedCidrs)) {
    return 'The allowed_cidrs must lie within those of your API token.';
  }
  const [inner, outer] = [parseRange(wanted.userGroups), parseRange(held.userGroups)];
  if (!outer || (inner && isWithinRange(inner, outer))) return undefined;
  return 'Your API token is for certain user groups, so what it grants must be for no others.';
}

function areRangesWithin(inner: string | null, outer: string | null): boolean {
  if (outer === null) return true;
  return inner !== null && areWithin(inner.split(' '), outer.split(' '));
}

export function isAllowedFrom(
  address: string | null,
  { allowedCidrs }: Pick<ApiToken, 'allowedCidrs'>,
): boolean {
  return allowedCidrs === null || isInRanges(address, toRanges(allowedCidrs.split(' ')));
}

/** Tells whether it administers the workspace, which no token for certain user groups does. */
export function isAdmin({ scopes, userGroups }: Pick<ApiToken, 'scopes' | 'userGroups'>): boolean {
  return userGroups === null && scopes.split(' ').includes('admin');
}

/**
 * Refuses a change over HTTP that would leave the workspace without an administrator; the operator may make it.
 * @param leaving the token that is about to end, to expire sooner, to lose the scope `admin`, or to exclude its own address
 * @throws LastAdminApiToken
 */
export async function requireAnotherAdmin(
  manager: EntityManager,
  caller: Caller,
  leaving: ApiToken,
): Promise<void> {
  if (!(await hasAnotherAdmin(manager, caller, leaving))) throw new LastAdminApiToken();
}

/** Tells whether the caller may change the token in these ways. */
export async function hasAnotherAdmin(
  manager: EntityManager,
  { workspaceId, apiTokenId }: Caller,
  leaving: ApiToken,
): Promise<boolean> {
  // People do not count, and may always leave: the identity provider grants and revokes their access.
  if (apiTokenId === null || leaving.subject !== null || !isLasting(leaving)) return true;
  const others = await manager.findBy(ApiToken, {
    workspaceId,
    id: Not(leaving.id),
    subject: IsNull(),
    revokedAt: IsNull(),
    supersededBy: IsNull(),
    scopes: Like('%admin%'),
  });
  return others.some(isLasting);
}

/** Tells whether it is an administrator that lasts beyond the overlap of a rotation. */
function isLasting(token: ApiToken): boolean {
  return isAdmin(token) && !hasEnded(token) && token.supersededBy === null;
}
