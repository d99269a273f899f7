import { startTestService, withService } from '../support/test-service.ts';

const PATH = '/.well-known/oauth-authorization-server';

describe('with PUBLIC_URL', () => {
  const PUBLIC_URL = 'https://user-groups.example/sub';
  const service = withService('sqlite', { PUBLIC_URL: `${PUBLIC_URL}/`, TRUST_PROXY: '1' });

  const get = (headers?: Record<string, string>) =>
    service.clientOf(undefined).call('GET', PATH, undefined, headers);

  test('the metadata tells what there is, and claims nothing else', async () => {
    const { status, headers, body } = await get();
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      issuer: PUBLIC_URL,
      introspection_endpoint: `${PUBLIC_URL}/api/v1/introspect`,
      introspection_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'Bearer',
      ],
      revocation_endpoint: `${PUBLIC_URL}/api/v1/revoke`,
      revocation_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'Bearer',
      ],
      response_types_supported: [],
      grant_types_supported: [],
    });
  });

  test('what it names is there', async () => {
    const { introspection_endpoint } = (await get()).body as unknown as {
      introspection_endpoint: string;
    };
    const path = introspection_endpoint.replace(PUBLIC_URL, '');
    const introspected = await service.api.call('POST', path, {
      token: 'x',
    });
    expect(introspected.body).toEqual({ active: false });
  });

  test('no header of a request changes where the service says it is', async () => {
    const answer = await get({
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'http',
      Forwarded: 'host=evil.example;proto=http',
    });
    expect(answer.text).toBe((await get()).text);
  });

  test('it is a GET', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await service.api.call(method, PATH);
      expect([method, status, headers['allow']]).toEqual([method, 405, 'GET, HEAD']);
    }
  });
});

test('without PUBLIC_URL there is no metadata, whatever the Host header says', async () => {
  const service = await startTestService('sqlite');
  const headers = { Host: 'user-groups.example', 'X-Forwarded-Host': 'user-groups.example' };
  const answer = await service.clientOf(undefined).call('GET', PATH, undefined, headers);
  expect([answer.status, answer.body.code]).toEqual([404, 'public_url_unset']);
  expect(answer.text).not.toContain('user-groups.example');
  await service.close();
});
