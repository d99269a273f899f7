import { type EntityManager, IsNull, Like, Not } from 'typeorm';
import type { Caller } from '../common/caller';
import { GrantExceedsCaller, LastAdminToken } from '../common/errors';
import { ApiToken } from './api-token.entity';
import { areWithin, isInRanges, toRanges } from './cidr';

/** What a token allows: scopes and ranges separated by spaces; null is for ever, and from anywhere. */
export type Grant = Pick<ApiToken, 'scopes' | 'expiresAt' | 'allowedCidrs'>;

/** Whether the token is refused. */
export function hasEnded({ revokedAt, expiresAt }: ApiToken): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= Date.now());
}

/**
 * Nobody can grant what they do not hold: no other scope, no longer life, no wider range of addresses.
 * @param own the caller's own token; undefined for the operator, who holds everything
 * @throws GrantExceedsCaller
 */
export function requireGrantable(own: ApiToken | undefined, grant: Grant): void {
  if (!own) return;
  const held = own.scopes.split(' ');
  const missing = grant.scopes.split(' ').find((scope) => !held.includes(scope));
  if (missing !== undefined) {
    throw new GrantExceedsCaller(`Your API token does not have the scope "${missing}".`);
  }
  if ((grant.expiresAt ?? Infinity) > (own.expiresAt ?? Infinity)) {
    throw new GrantExceedsCaller('Your API token expires, so what it grants must expire no later.');
  }
  if (!areRangesWithin(grant.allowedCidrs, own.allowedCidrs)) {
    throw new GrantExceedsCaller('The allowed_cidrs must lie within those of your API token.');
  }
}

/**
 * Whether `wanted` is more than `held` in any way. What results has to be grantable as a whole then:
 * a scope that is added to a token of longer life than one's own would be granted for that life.
 */
export function isWider(wanted: Grant, held: Grant): boolean {
  const scopes = held.scopes.split(' ');
  return (
    wanted.scopes.split(' ').some((scope) => !scopes.includes(scope)) ||
    (wanted.expiresAt ?? Infinity) > (held.expiresAt ?? Infinity) ||
    !areRangesWithin(wanted.allowedCidrs, held.allowedCidrs)
  );
}

function areRangesWithin(inner: string | null, outer: string | null): boolean {
  if (outer === null) return true;
  return inner !== null && areWithin(inner.split(' '), outer.split(' '));
}

/** Whether the token may be used from the address. */
export function isAllowedFrom(
  address: string | null,
  { allowedCidrs }: Pick<ApiToken, 'allowedCidrs'>,
): boolean {
  return allowedCidrs === null || isInRanges(address, toRanges(allowedCidrs.split(' ')));
}

/** Whether the token may administer its workspace. */
export function isAdmin({ scopes }: Pick<ApiToken, 'scopes'>): boolean {
  return scopes.split(' ').includes('admin');
}

/**
 * Over HTTP a workspace cannot lose its last administrator; the operator may do it.
 * @param leaving the token that is about to end, to expire sooner, to lose the scope `admin`, or to
 *   lose its own address
 * @throws LastAdminToken
 */
export async function requireAnotherAdmin(
  manager: EntityManager,
  { workspaceId, apiTokenId }: Caller,
  leaving: ApiToken,
): Promise<void> {
  if (apiTokenId === null || !isLasting(leaving)) return;
  const others = await manager.findBy(ApiToken, {
    workspaceId,
    id: Not(leaving.id),
    revokedAt: IsNull(),
    supersededBy: IsNull(),
    scopes: Like('%admin%'),
  });
  if (!others.some(isLasting)) throw new LastAdminToken();
}

/** An administrator for longer than the overlap of a rotation. */
function isLasting(token: ApiToken): boolean {
  return isAdmin(token) && !hasEnded(token) && token.supersededBy === null;
}
