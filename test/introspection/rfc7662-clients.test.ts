import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { onEachDatabase } from '../support/databases';
import { startTestService, type TestService } from '../support/test-service';

const PUBLIC_URL = 'https://user-groups.example';

const server: oauth.AuthorizationServer = {
  issuer: PUBLIC_URL,
  introspection_endpoint: `${PUBLIC_URL}/api/v1/introspect`,
};
const client: oauth.Client = { client_id: 'renderer' };

/** The service takes its API token where these clients would send an id and a secret of their own. */
onEachDatabase((kind) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService(kind);
  });

  afterAll(() => service.close());

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

  const introspectWithOauth4webapi = async (token: string) => {
    const authenticate: oauth.ClientAuth = (_server, _client, _body, headers) => {
      headers.set('Authorization', `Bearer ${service.bootstrapToken}`);
    };
    const response = await oauth.introspectionRequest(server, client, authenticate, token, {
      [oauth.customFetch]: throughProxy,
    });
    expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
    return oauth.processIntrospectionResponse(server, client, response);
  };

  const introspectWithOpenidClient = async (token: string) => {
    const config = new openid.Configuration(
      server,
      'renderer',
      undefined,
      (_server, _client, _body, headers) => {
        headers.set('Authorization', `Token ${service.bootstrapToken}`);
      },
    );
    config[openid.customFetch] = throughProxy;
    return openid.tokenIntrospection(config, token, { token_type_hint: 'access_token' });
  };

  test.each([
    ['oauth4webapi', introspectWithOauth4webapi],
    ['openid-client', introspectWithOpenidClient],
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

  test('oauth4webapi finds what a wrong API token is told', async () => {
    const nobody: oauth.ClientAuth = (_server, _client, _body, headers) => {
      headers.set('Authorization', 'Bearer nobody');
    };
    const response = await oauth.introspectionRequest(server, client, nobody, 'any', {
      [oauth.customFetch]: throughProxy,
    });
    await expect(
      oauth.processIntrospectionResponse(server, client, response),
    ).rejects.toMatchObject({ name: 'WWWAuthenticateChallengeError', status: 401 });
  });
});
