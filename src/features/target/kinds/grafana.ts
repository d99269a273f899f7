import { referencesIn } from '../definition/claims.ts';
import type { JsonValue } from '../../../platform/common/json/strict-json.ts';
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
  claims: () => (value, pointer) => {
    const chosen = claimsBut(RESERVED, () => [])(value, pointer);
    if (chosen.length > 0 || !referencesIn(value as JsonValue).includes('user.id')) return chosen;
    const detail =
      'Two user groups can have a user of the same id, who would be one user of Grafana: copy user.key.';
    return [{ pointer, code: 'not_acceptable', detail }];
  },
  make: (claims, _definition, grant) => ({
    ...claims,
    sub: grant.group.providedId,
    team_id: grant.group.userGroupId,
    workspace_id: grant.group.workspace.publicId,
    ...actOf(grant),
  }),
};

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
