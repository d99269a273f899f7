import { dataOf, api } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { session } from '../../session.ts';

type ApiToken = Schemas['ApiToken'];

/** The state of the steps that lead from an empty workspace to a dashboard. */
export interface Progress {
  backend: ApiToken | undefined;
  renderer: ApiToken | undefined;
  isIntrospected: boolean;
  /** The id of the newest group, if there is any. */
  newest: string[];
}

const DAYS = 90;

/** Reads how far the workspace is. The session needs the scope `admin`. */
export async function readProgress(signal: AbortSignal): Promise<Progress> {
  const to = Date.now();
  const period = {
    from: new Date(to - DAYS * 86_400_000).toISOString(),
    to: new Date(to).toISOString(),
  };
  const [{ api_tokens: all }, { activity }, { user_groups: groups }] = await Promise.all([
    dataOf(
      api.GET('/api/v1/api-tokens', { params: { query: { limit: 200, state: 'active' } }, signal }),
    ),
    dataOf(
      api.GET('/api/v1/overview/activity', {
        params: { query: { ...period, step: 'day' } },
        signal,
      }),
    ),
    dataOf(
      api.GET('/api/v1/user-groups', {
        params: { query: { limit: 1, sort: '-created_at' } },
        signal,
      }),
    ),
  ]);
  const own = session.value?.api_token.id;
  // The token of this session and those of people do not count as backends.
  const others = all.filter(({ id, subject }) => id !== own && subject === null);
  const writes = ({ scopes }: ApiToken) => scopes.includes('user-groups:write');
  const backends = others.filter(writes);
  return {
    backend: backends.find(({ last_used_at }) => last_used_at !== null) ?? backends[0],
    renderer: others.find((one) => one.scopes.includes('tokens:introspect') && !writes(one)),
    newest: groups.map(({ provided_id: id }) => id),
    isIntrospected: activity.points.some(({ introspections }) => introspections > 0),
  };
}
