import { ApiError, CachedIntrospector } from '../../clients/typescript/index.ts';
import type { CachedIntrospectorOptions } from '../../clients/typescript/cached-introspector.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { letIntrospectorsWait } from '../support/time/patience.ts';
import { until } from '../support/time/until.ts';
import { readUsage, totalOf } from '../usage/usage-calls.ts';

beforeAll(letIntrospectorsWait);

onEachDatabase((kind) => {
  const service = withService(kind);
  const opened: CachedIntrospector[] = [];

  afterEach(() => {
    for (const introspector of opened.splice(0)) introspector.close();
  });

  const open = async (
    workspace: string,
    options: Partial<CachedIntrospectorOptions> = {},
    baseUrl = service.baseUrl,
  ) => {
    const apiToken = await service.issueToken(['tokens:introspect', 'events:read'], workspace);
    const introspector = new CachedIntrospector({
      baseUrl,
      apiToken,
      reportViews: true,
      ...options,
    });
    opened.push(introspector);
    return introspector;
  };
  const apiOf = async (workspace: string) =>
    service.clientOf(
      await service.issueToken(
        [
          'user-groups:read',
          'user-groups:write',
          'user-group-tokens:read',
          'embed-tokens:issue',
          'usage:read',
        ],
        workspace,
      ),
    );

  test('each active introspection is a view of its group and user, also from memory', async () => {
    const api = await apiOf('views');
    const { token, path } = await api.create();
    const { body } = await api.call('POST', `${path}/embed-tokens`, {
      audience: 'a',
      user: { id: 'ann' },
    });
    const introspector = await open('views');
    for (let n = 0; n < 5; n++) await introspector.introspect(token);
    await introspector.introspect(body.embed_token.token);
    expect(await introspector.introspect('unknown')).toEqual({ active: false });
    await introspector.sendViews();
    await introspector.sendViews();
    expect(await totalOf(api, `${path}/usage`)).toMatchObject({ views: 6 });
    expect((await readUsage(api, { by: 'group' })).usage[0]).toMatchObject({ users: 1 });
  });

  test('views are sent by close', async () => {
    const api = await apiOf('closed');
    const { token } = await api.create();
    const introspector = await open('closed');
    await introspector.introspect(token);
    introspector.close();
    await until(async () => (await totalOf(api)).views === 1);
  });

  test('an introspector reports nothing unless it is told to', async () => {
    const api = await apiOf('silent');
    const { token } = await api.create();
    const introspector = await open('silent', { reportViews: false });
    await introspector.introspect(token);
    await introspector.sendViews();
    expect((await totalOf(api)).views).toBe(0);
  });

  test('a batch whose response is lost is sent again, and counts once', async () => {
    const api = await apiOf('lost');
    const { token } = await api.create();
    const errors: unknown[] = [];
    let losing = true;
    const introspector = await open('lost', {
      onReportError: (error) => errors.push(error),
      fetch: async (request) => {
        const response = await fetch(request);
        if (!losing || !request.url.endsWith('/batches')) return response;
        throw new TypeError('the connection was lost');
      },
    });
    await introspector.introspect(token);
    await introspector.sendViews();
    await introspector.introspect(token);
    await introspector.sendViews();
    expect(errors).toHaveLength(2);
    losing = false;
    await introspector.sendViews();
    expect((await totalOf(api)).views).toBe(2);
  });

  test('a service that does not take views is told of once, and introspections go on', async () => {
    const api = await apiOf('forbidden');
    const { token } = await api.create();
    const errors: unknown[] = [];
    let asked = 0;
    const introspector = await open('forbidden', {
      onReportError: (error) => errors.push(error),
      fetch: (request) => {
        if (!request.url.endsWith('/batches')) return fetch(request);
        asked++;
        const refusal = { success: 0, code: 'insufficient_scope', detail: 'No.' };
        return Promise.resolve(
          new Response(JSON.stringify(refusal), {
            status: 403,
            headers: { 'Content-Type': 'application/problem+json' },
          }),
        );
      },
    });
    for (let n = 0; n < 3; n++) {
      expect((await introspector.introspect(token)).active).toBe(true);
      await introspector.sendViews();
    }
    expect(asked).toBe(1);
    expect(errors).toEqual([expect.any(ApiError)]);
  });
});
