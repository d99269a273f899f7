import { listOf } from '../../../platform/common/fields.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { filledIn } from '../definition/claims.ts';
import { claimsBut, filledText, type KindRules, recordOf, scalar, WRITTEN_CLAIMS } from './kind.ts';

const FROM_IDS = 'The service derives it from team_id and the id of the user.';
const IS_CONSTANT = 'The groups must be names in the target itself, and not Administrators.';
const MAX_GROUPS = 20;
const HOST = /^(?=.{1,180}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

/** Accepts the name of a host, in whose addresses the users of Metabase are. */
export function emailDomainViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && HOST.test(value)) return [];
  const detail =
    'The email_domain must be the name of a host in small letters, such as groups.example.com.';
  return [{ pointer, code: typeof value === 'string' ? 'not_acceptable' : 'type', detail }];
}

/**
 * A token for single sign-on to Metabase by JWT (`enterprise/…/sso/providers/jwt.clj`). Metabase knows a person by the
 * address, which is derived from ids that nobody can change, as the tenant is: so that a user never changes tenant. Other
 * claims are attributes of the user, which are texts, numbers and flags there.
 */
export const metabaseSso: KindRules = {
  algorithms: ['HS256'],
  audience: 'refused',
  has: ['email_domain'],
  hasIat: true,
  /** Metabase takes no older token. */
  maxSeconds: 180,
  claims: (leaf) => (value, pointer) => {
    const {
      groups,
      '@tenant.attributes': tenant,
      ...others
    } = { ...(value as object) } as Record<string, unknown>;
    return [
      ...(groups === undefined
        ? []
        : listOf(groupName, { least: 1, most: MAX_GROUPS })(groups, `${pointer}/groups`)),
      ...(tenant === undefined
        ? []
        : recordOf(leaf(scalar), noSign)(tenant, `${pointer}/@tenant.attributes`)),
      ...claimsBut({ ...WRITTEN_CLAIMS, email: FROM_IDS, '@tenant': FROM_IDS }, leaf(scalar))(
        others,
        pointer,
      ),
      ...recordOf(() => [], noSign)(others, pointer),
    ];
  },
  make: (claims, { email_domain: domain }, grant) => {
    const key = filledIn({ $: 'user.key' }, grant, ['claims', 'email']) as string;
    return { ...claims, email: `${key}@${domain!}`, '@tenant': `g${grant.group.userGroupId}` };
  },
};

function groupName(value: unknown, pointer: string): Violation[] {
  const isName = filledText(value, pointer).length === 0;
  if (isName && !/^(administrators|all users)$/i.test((value as string).trim())) return [];
  return [{ pointer, code: 'not_acceptable', detail: IS_CONSTANT }];
}

function noSign(name: string): string | undefined {
  return name.startsWith('@') ? 'Names that begin with @ are those of Metabase.' : undefined;
}
