import type { Scope } from '../../../platform/common/access/caller.ts';
import { redactTokens } from '../../../platform/common/secret/secrets.ts';
import type { ClaimGrant } from '../claim-grants.ts';

export type Claims = Readonly<Record<string, unknown>>;

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 100;

/**
 * Returns the workspaces that a person with these claims may enter, by name in the order of the grants, each with the
 * scopes of all matching grants.
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

/** Tells an operator why claims match no grant: names and shapes, never a value. */
export interface ClaimsShape {
  claims: string[];
  granting: Record<string, string>;
  /** The claims that the provider left out, such as the groups of a person with many. */
  left_out?: string[];
}

export function shapeOf(claims: Claims, grants: readonly ClaimGrant[]): ClaimsShape {
  const received = Object.keys(claims).filter((name) => claims[name] !== undefined);
  const leftOut = leftOutOf(claims);
  return {
    claims: readable(received),
    granting: Object.fromEntries(
      grants.map(({ claim }) => [claim.join('.'), shapeOfClaim(claims, claim)]),
    ),
    ...(leftOut.length > 0 && { left_out: readable(leftOut) }),
  };
}

/** Distributed claims (OpenID Connect Core 1.0, section 5.6.2), with which Entra ID replaces many groups. */
function leftOutOf({ _claim_names: names, hasgroups }: Claims): string[] {
  const distributed = isObject(names) ? Object.keys(names) : [];
  return [...new Set([...distributed, ...(hasgroups === true ? ['groups'] : [])])];
}

function shapeOfClaim(claims: Claims, path: ClaimGrant['claim']): string {
  const found = findClaim(claims, path);
  if (found === undefined) return 'absent';
  if (isUnverifiedEmail(claims, path)) return 'not verified';
  if (Array.isArray(found)) return `list of ${found.length}`;
  return typeof found === 'string' ? 'text' : 'neither a text nor a list';
}

function fits(claims: Claims, { claim, value, prefix }: ClaimGrant): boolean {
  if (isUnverifiedEmail(claims, claim)) return false;
  return [findClaim(claims, claim)]
    .flat()
    .some((one) =>
      prefix === undefined ? one === value : typeof one === 'string' && one.startsWith(prefix),
    );
}

/** Anybody may claim an address that the provider has not verified. */
function isUnverifiedEmail(claims: Claims, path: ClaimGrant['claim']): boolean {
  return path.length === 1 && path[0] === 'email' && claims['email_verified'] !== true;
}

function findClaim(claims: Claims, path: ClaimGrant['claim']): unknown {
  let found: unknown = claims;
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readable(names: string[]): string[] {
  return names.slice(0, MAX_NAMES).map((name) => redactTokens(name).slice(0, MAX_NAME_LENGTH));
}
