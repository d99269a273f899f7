import { toPointer } from '../../../platform/common/json-pointer.ts';
import type { JsonObject, JsonValue } from '../../../platform/common/json/strict-json.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { referencesIn } from '../definition/claims.ts';
import { isReference, KEY_OF_USER } from '../definition/references.ts';
import { actOf, claimsBut, type KindRules, WRITTEN_CLAIMS } from './kind.ts';

const OF_EMBED_TOKENS = 'Embed tokens of the workspace have this claim, with another meaning.';

/**
 * A token for `auth.jwt` of Grafana, which verifies it with the keys of the workspace (`pkg/services/auth/jwt`). Its
 * organisation follows from `team_id`, which Grafana compares with `workspace_id`. The type (RFC 8725, section 3.11) and the
 * claims keep it from being taken for an embed token, which the same key signs.
 */
export const grafana: KindRules = {
  algorithms: [],
  audience: 'required',
  has: [],
  hasIat: true,
  maxSeconds: 3600,
  typ: 'grafana+jwt',
  claims: () => (value, pointer) => [
    ...claimsBut(RESERVED, () => [])(value, pointer),
    ...Object.entries(value as JsonObject).flatMap(([name, one]): Violation[] => {
      const isOfUsers = USER_CLAIM.test(name) || referencesIn(one).includes('user.id');
      if (!isOfUsers || isKeyOfUser(one)) return [];
      return [{ pointer: pointer + toPointer([name]), code: 'not_acceptable', detail: NOT_ONE }];
    }),
  ],
  make: (claims, _definition, grant) => ({
    ...claims,
    sub: grant.group.providedId,
    team_id: grant.group.userGroupId,
    workspace_id: grant.group.workspace.publicId,
    ...actOf(grant),
  }),
};

/** Claims by which Grafana knows a user, in the settings of its examples. */
const USER_CLAIM = /^(login|user_?name|preferred_username|e?mail|upn)$/i;
const NOT_ONE =
  'Grafana may know a user by this claim, and users of two groups can have the same name, address or id: copy user.key.';

/** Whether a value of a definition is copied from `user.key`, or one of a token was. */
function isKeyOfUser(value: JsonValue): boolean {
  return isReference(value)
    ? value['$'] === 'user.key' && value['default'] === undefined
    : typeof value === 'string' && KEY_OF_USER.test(value);
}

const RESERVED: Record<string, string> = {
  ...WRITTEN_CLAIMS,
  ...Object.fromEntries(
    ['iss', 'sub', 'team_id', 'workspace_id'].map((name) => [name, WRITTEN_CLAIMS.exp]),
  ),
  ...Object.fromEntries(
    [
      'jti',
      'gen',
      'epoch',
      'iat_ms',
      'origin',
      'user_id',
      'user_name',
      'resources',
      'variables',
    ].map((name) => [name, OF_EMBED_TOKENS]),
  ),
};
