import type { Scope } from '../../common/caller.ts';
import type { ClaimGrant } from '../../config/readers.ts';

/** What an identity provider says of somebody. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * The workspaces that somebody with these claims may enter, by name in the order of the grants, each
 * with the scopes that all fitting grants give.
 */
export function workspacesOf(
  claims: Claims,
  grants: readonly ClaimGrant[],
): ReadonlyMap<string, readonly Scope[]> {
  const workspaces = new Map<string, Scope[]>();
  for (const { workspace, scopes } of grants.filter((grant) => fits(claims, grant))) {
    workspaces.set(workspace, [...new Set([...(workspaces.get(workspace) ?? []), ...scopes])]);
  }
  return workspaces;
}

/** An address that the provider has not verified is what anybody may have written. */
function fits(claims: Claims, { claim, value }: ClaimGrant): boolean {
  if (claim === 'email' && claims['email_verified'] !== true) return false;
  const given = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return [given].flat().some((one) => one === value);
}
