import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { onEachDatabase } from '../support/database/databases.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';

withFrozenBuckets();

const PUBLIC_URL = 'https://user-groups.example';

const client: oauth.Client = { client_id: 'renderer' };

/** Each finds the service by its metadata, and sends its API token in a way that RFC 6749 knows. */
onEachDatabase((kind) => {
  const service = withService(kind, { PUBLIC_URL });
  let secret: string;

  beforeAll(async () => {
    secret = await service.issueToken(['tokens:introspect']);
  });

  const issue = async (id: string) => {
    const properties = { region: 'EMEA' };
    const { body } = await service.api.put({ user_group_id: id, name: 'Acme', properties });
    return body.user_group.token;
  };
  /** These clients speak HTTPS alone: this stands for the proxy in which TLS ends. */
  const throughProxy = (url: string, init: object) =>
    fetch(url.replace(PUBLIC_URL, service.baseUrl), init);
  const expectActive = (answer: object, sub: string) => {
    expect(answer).toMatchObject({
      active: true,
      sub,
      name: 'Acme',
      properties: { region: 'EMEA' },
      token_type: 'user_group_token',
      iat: expect.any(Number),
    });
  };

  const discover = async () => {
    const issuer = new URL(PUBLIC_URL);
    const response = await oauth.discoveryRequest(issuer, {
      algorithm: 'oauth2',
      [oauth.customFetch]: throughProxy,
    });
    return oauth.processDiscoveryResponse(issuer, response);
  };

  const withOauth4webapi =
    (authenticate: () => oauth.ClientAuth) =>
    async (token: string): Promise<oauth.IntrospectionResponse> => {
      const server = await discover();
      const response = await oauth.introspectionRequest(server, client, authenticate(), token, {
        [oauth.customFetch]: throughProxy,
      });
      expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
      return oauth.processIntrospectionResponse(server, client, response);
    };

  const withOpenidClient =
    (authenticate: () => openid.ClientAuth) =>
    async (token: string): Promise<openid.IntrospectionResponse> => {
      const metadata = { client_id: 'renderer' };
      const config = await openid.discovery(
        new URL(PUBLIC_URL),
        'renderer',
        metadata,
        authenticate(),
        {
          algorithm: 'oauth2',
          [openid.customFetch]: throughProxy,
        },
      );
      return openid.tokenIntrospection(config, token, { token_type_hint: 'access_token' });
    };

  const withHeader =
    (scheme: string): oauth.ClientAuth =>
    (_server, _client, _body, headers) => {
      headers.set('Authorization', `${scheme} ${secret}`);
    };

  test.each([
    ['oauth4webapi with HTTP Basic', withOauth4webapi(() => oauth.ClientSecretBasic(secret))],
    ['oauth4webapi with client_secret', withOauth4webapi(() => oauth.ClientSecretPost(secret))],
    ['oauth4webapi with Bearer', withOauth4webapi(() => withHeader('Bearer'))],
    ['openid-client with HTTP Basic', withOpenidClient(() => openid.ClientSecretBasic(secret))],
    ['openid-client with client_secret', withOpenidClient(() => openid.ClientSecretPost(secret))],
    ['openid-client with Token', withOpenidClient(() => withHeader('Token'))],
  ])('%s understands what is active and what is not', async (name, introspect) => {
    const token = await issue(name);
    expectActive(await introspect(token), name);
    const rotated = await service.api.post({ current_token: token, grace_period_seconds: 3600 });
    const overlapping = await introspect(token);
    expectActive(overlapping, name);
    expect(overlapping.exp).toBeGreaterThan(Date.now() / 1000);
    expect((await service.api.post({ current_token: rotated.body.user_group.token })).status).toBe(
      200,
    );
    for (const inactive of [token, 'ugt_none']) {
      expect(await introspect(inactive)).toEqual({ active: false });
    }
  });

  test.each([
    ['HTTP Basic', oauth.ClientSecretBasic('wrong')],
    ['client_secret', oauth.ClientSecretPost('wrong')],
    ['no secret', oauth.None()],
  ])('oauth4webapi finds what is wrong, and what would do: %s', async (_name, authenticate) => {
    const server = await discover();
    const response = await oauth.introspectionRequest(server, client, authenticate, 'any', {
      [oauth.customFetch]: throughProxy,
    });
    await expect(
      oauth.processIntrospectionResponse(server, client, response),
    ).rejects.toMatchObject({
      name: 'WWWAuthenticateChallengeError',
      status: 401,
      cause: [{ scheme: 'token' }, { scheme: 'bearer' }, { scheme: 'basic' }],
    });
  });
});

test('openid-client tells a refused introspection from an inactive token, and has its Retry-After', async () => {
  const service = await startTestService('sqlite', {
    PUBLIC_URL,
    INTROSPECTION_RATE_LIMIT_PER_MINUTE: '1',
  });
  const secret = openid.ClientSecretBasic(await service.issueToken(['tokens:introspect']));
  const config = await openid.discovery(new URL(PUBLIC_URL), 'dashboards', undefined, secret, {
    algorithm: 'oauth2',
    [openid.customFetch]: (url: string, init: object) =>
      fetch(url.replace(PUBLIC_URL, service.baseUrl), init),
  });
  expect(await openid.tokenIntrospection(config, 'any')).toEqual({ active: false });
  const error = (await openid
    .tokenIntrospection(config, 'any')
    .catch((thrown: unknown) => thrown)) as Error;
  expect(error.cause).toBeInstanceOf(Response);
  const { status, headers } = error.cause as Response;
  expect([status, headers.get('retry-after')]).toEqual([429, '60']);
  await service.close();
});
