import type { Introspection } from '../../../clients/typescript/index.ts';
import type { RunningServer } from '../process/processes.ts';
import { until } from '../time/until.ts';
import type { ApiClient, CreatedGroup } from './api-client.ts';
import { answered, type AskedIntrospector, Asking, isTooLate } from './asking.ts';

/** The mapping and the properties of the groups of `seenInTime`. */
const FIELDS = { mapping: { sales: 'emea' }, properties: { region: 'old' } };

type Change = (group: CreatedGroup) => Promise<{ status: number }>;
type TokenOf = (group: CreatedGroup) => Promise<string>;

/**
 * Asks for a token of a new group while something changes.
 * @param api of the service, which takes the change
 * @param isOld whether a response is that of before the change
 * @param tokenOf gives the token to ask for; the default is the token of the group
 */
export async function seenInTime(
  api: ApiClient,
  introspector: AskedIntrospector,
  change: Change,
  isOld: (answer: Introspection) => boolean,
  tokenOf: TokenOf = ({ token }) => Promise.resolve(token),
): Promise<void> {
  const group = await api.create(FIELDS);
  const token = await tokenOf(group);
  let endedAt = Infinity;
  const asking = new Asking(introspector, () => ({ token, endedAt: () => endedAt }), isOld);
  const { counts } = introspector;
  const before = counts.remembered;
  await until(() => counts.remembered > before + 100);
  expect(isOld(await answered(introspector, token))).toBe(true);
  expect(await change(group)).toMatchObject({ status: 200 });
  endedAt = performance.now();
  await asking.beLate();
  await until(() => asking.newAnswers > 0);
  await asking.end();
  const errors = asking.errors.filter((error) => !isTooLate(error));
  expect({ stale: asking.stale, errors }).toEqual({ stale: [], errors: [] });
  expect(isOld(await answered(introspector, token))).toBe(false);
}

/** Asks while a group changes in each of the ways that end what is known of it, at once: none makes the others forgotten. */
export async function seesChangesOfGroups(
  { api }: RunningServer,
  connect: () => AskedIntrospector,
): Promise<void> {
  const isActive = ({ active }: Introspection) => active;
  const isOfOldRegion = ({ properties }: Introspection) => properties!['region'] === 'old';
  const call = (method: string, path: string, body?: object) => api.call(method, path, body);
  const seen = (...args: [Change, typeof isActive, TokenOf?]) =>
    seenInTime(api, connect(), ...args);
  const rotate = ({ token }: CreatedGroup) => api.post({ current_token: token });
  await Promise.all([
    seen(rotate, isActive),
    seen(({ path }) => call('POST', `${path}/suspend`), isActive),
    seen(({ path }) => call('DELETE', path), isActive),
    seen(({ path }) => call('PATCH', path, { properties: { region: 'new' } }), isOfOldRegion),
    seen(
      ({ path }) => call('POST', `${path}/tokens/1/revoke`),
      isActive,
      async ({ token }) => {
        await api.rotate(token, 60);
        return token;
      },
    ),
    seen(rotate, isActive, async ({ path }) => {
      const issued = await call('POST', `${path}/embed-tokens`, { audience: 'a' });
      return issued.body.embed_token.token;
    }),
  ]);
}

/** Asks with an API token that is revoked meanwhile. */
export async function isRefusedInTime(
  { api }: RunningServer,
  connect: (apiToken: string) => AskedIntrospector,
): Promise<void> {
  const scopes = ['tokens:introspect', 'events:read'];
  const issued = await api.call('POST', '/api/v1/api-tokens', { name: 'renderer', scopes });
  const { id, token: apiToken } = issued.body.api_token;
  const { token } = await api.create();
  const introspector = connect(apiToken);
  await until(() => introspector.isCurrent);
  let endedAt = Infinity;
  const asking = new Asking(introspector, () => ({ token, endedAt: () => endedAt }));
  await until(() => introspector.counts.remembered > 100);
  await api.call('POST', `/api/v1/api-tokens/${id}/revoke`);
  endedAt = performance.now();
  await asking.beLate();
  await until(() => asking.errors.some((error) => !isTooLate(error)));
  await asking.end();
  expect(asking.stale).toEqual([]);
  await expect(answered(introspector, token)).rejects.toMatchObject({
    status: 401,
    code: 'api_token_invalid',
  });
}
