import { type Scope, scopes } from '../../platform/common/access/scopes.ts';
import { ConfigError } from '../../platform/config/variable.ts';

/** Grants of the scopes of a workspace to claims of an identity provider. */
export interface ClaimGrant {
  /** The name of the claim, or the path to one within others. */
  claim: readonly string[];
  /** The claim's value, or one of its values; undefined with a prefix. */
  value: string | undefined;
  /** Beginning of the claim's value, or of one of its values. */
  prefix: string | undefined;
  workspace: string;
  scopes: Scope[];
}

const FORM =
  'must be a JSON array such as [{"claim":"groups","value":"operators","workspace":"default","scopes":["user-groups:read"]}], or "prefix" instead of "value" to match every value that begins with it.';

/**
 * A claim `email`, also within another or by a URL, or one that says what it is of, such as `contact_email`; or a claim
 * that some providers fill with an email address.
 */
const EMAIL = /(?:^|[^a-z])(?:(?:e-?)?mails?|upn|preferred_username|unique_name)$/i;

export function claimGrants(text: string): ClaimGrant[] {
  const grants = parseJson(text);
  if (!Array.isArray(grants) || grants.length === 0) throw new ConfigError(FORM);
  return grants.map(claimGrant);
}

function claimGrant(grant: unknown, index: number): ClaimGrant {
  const place = `grant ${index + 1}`;
  const { claim, value, prefix, workspace, scopes: given, ...other } = Object(grant) as Fields;
  const wanted = [value, prefix].filter((one) => one !== undefined);
  const isWhole = wanted.length === 1 && [...wanted, workspace].every(isText);
  if (!isWhole || !Array.isArray(given) || given.length === 0 || Object.keys(other).length > 0) {
    throw new ConfigError(FORM);
  }
  if (!given.every((scope) => scopes.includes(scope))) {
    throw new ConfigError(`must name scopes that there are; ${place} does not.`);
  }
  const path = claimPath(claim, place);
  if (prefix !== undefined && path.some((name) => EMAIL.test(name))) {
    const detail =
      'must compare an email as a whole: what it begins with, anybody can have elsewhere';
    throw new ConfigError(`${detail}; ${place} does not.`);
  }
  return { claim: path, value, prefix, workspace, scopes: [...new Set(given)] };
}

type Fields = Omit<ClaimGrant, 'claim'> & { claim: unknown };

/** Reads `groups`, `realm_access.roles`, or a list of names, which may contain dots. */
function claimPath(claim: unknown, place: string): string[] {
  const names: unknown = typeof claim === 'string' ? claim.split('.') : claim;
  if (!Array.isArray(names) || names.length === 0) throw new ConfigError(FORM);
  // A name such as https://example.com/groups would be split at its dots.
  const isAmbiguous = typeof claim === 'string' && names.length > 1 && /[:/]/.test(claim);
  if (isAmbiguous || !names.every(isText)) {
    throw new ConfigError(
      `must name a claim that has dots in its name by a list, such as ["https://example.com/groups"], and one within another by "realm_access.roles"; ${place} does neither.`,
    );
  }
  return names;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(FORM);
  }
}
