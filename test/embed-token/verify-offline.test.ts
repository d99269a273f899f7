import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import jsonwebtoken from 'jsonwebtoken';
import { createPublicKey } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { onEachDatabase, TEST_KEYS } from '../support/database/databases.ts';
import { keyList } from '../system/lab/keys.mjs';

import { keySetPath, NO_WORKSPACE, workspaceIdOf } from '../support/api/workspace-keys.ts';
import { startTestService, withService } from '../support/test-service.ts';

const AUDIENCE = 'https://dashboards.example.com';
const PUBLIC_URL = 'https://groups.example.com/sub';

onEachDatabase((kind) => {
  const service = withService(kind, {
    TOKEN_ENCRYPTION_KEYS: `${TEST_KEYS},${keyList('k2')}`,
    PUBLIC_URL,
  });
  let token: string;
  let issuer: string;
  let keySet: string;

  beforeAll(async () => {
    const workspaceId = await workspaceIdOf(service.api);
    issuer = `${PUBLIC_URL}/workspaces/${workspaceId}`;
    keySet = keySetPath(workspaceId);
    await service.api.get({ user_group_id: 'acme', name: 'Acme' });
    token = await issue('acme');
  });

  const issue = async (id: string) => {
    const path = `/api/v1/user-groups/${encodeURIComponent(id)}/embed-tokens`;
    return (await service.api.call('POST', path, { audience: AUDIENCE })).body.embed_token.token;
  };
  const expected = () => ({ issuer, audience: AUDIENCE, algorithms: ['ES256' as const] });
  const fetchKeys = async (): Promise<JSONWebKeySet> =>
    (await fetch(`${service.baseUrl}${keySet}`)).json() as Promise<JSONWebKeySet>;

  test('jose verifies it, with the keys it fetches and with keys it was given', async () => {
    const remote = createRemoteJWKSet(new URL(keySet, service.baseUrl));
    const local = createLocalJWKSet(await fetchKeys());
    for (const keys of [remote, local]) {
      const { payload, protectedHeader } = await jwtVerify(token, keys, expected());
      expect(payload).toMatchObject({ sub: 'acme', aud: AUDIENCE, iss: issuer, gen: 1 });
      expect(protectedHeader.typ).toBe('JWT');
    }
  });

  test('another library verifies it too', async () => {
    const { keys } = await fetchKeys();
    const header = jsonwebtoken.decode(token, { complete: true })!.header;
    const key = createPublicKey({
      key: keys.find(({ kid }) => kid === header.kid)!,
      format: 'jwk',
    });
    expect(jsonwebtoken.verify(token, key, expected())).toMatchObject({ sub: 'acme', gen: 1 });
    expect(() => jsonwebtoken.verify(token, key, { ...expected(), audience: 'other' })).toThrow(
      /audience/,
    );
  });

  test('any id of a group survives the way', async () => {
    const keys = createLocalJWKSet(await fetchKeys());
    for (const id of ['ü/ 漢字 😀', '"\\', '😀'.repeat(255), '__proto__']) {
      await service.api.get({ user_group_id: id, name: 'G' });
      expect((await jwtVerify(await issue(id), keys, expected())).payload.sub).toBe(id);
    }
  });

  test('the key set is public, says when to ask again, and can be read by pages', async () => {
    const answer = await service.clientOf(undefined).call('GET', keySet);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/jwk-set+json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    });
    const text = expect.stringMatching(/^[\w-]{43}$/) as string;
    const key = { kty: 'EC', crv: 'P-256', x: text, y: text, use: 'sig', alg: 'ES256', kid: text };
    expect(answer.body).toEqual({ keys: [key, key] });
  });

  test('a wrong token changes nothing about a public answer', async () => {
    const open = await service.clientOf(undefined).call('GET', keySet);
    for (const by of [service.clientOf('wrong'), service.api]) {
      const { status, text } = await by.call('GET', keySet);
      expect([status, text]).toEqual([200, open.text]);
    }
  });

  test('a workspace has keys of its own, whether it exists or not', async () => {
    const workspaceIds = [NO_WORKSPACE, NO_WORKSPACE.replaceAll('0', 'f')];
    const texts = await Promise.all(
      [keySet, ...workspaceIds.map(keySetPath)].map(async (path) => {
        const { status, text, headers } = await service.clientOf(undefined).call('GET', path);
        expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=300']);
        return text;
      }),
    );
    const kids = texts
      .flatMap((text) => (JSON.parse(text) as JSONWebKeySet).keys)
      .map(({ kid }) => kid);
    expect(new Set(kids).size).toBe(6);
  });

  test('tools that want a discovery document find the keys, and no endpoint that does not exist', async () => {
    const toService = (url: string) => fetch(url.replace(PUBLIC_URL, service.baseUrl));
    const response = await oauth.discoveryRequest(new URL(issuer), {
      algorithm: 'oidc',
      [oauth.customFetch]: toService,
    });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const metadata = await oauth.processDiscoveryResponse(new URL(issuer), response);
    expect(metadata).toEqual({
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      response_types_supported: [],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    const keys = (await (await toService(metadata.jwks_uri!)).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), expected());
    expect(payload.sub).toBe('acme');
  });

  test('without PUBLIC_URL there is no discovery document, and the issuer is a URN', async () => {
    const other = await startTestService(kind);
    const workspaceId = await workspaceIdOf(other.api);
    const path = `/workspaces/${workspaceId}/.well-known/openid-configuration`;
    const { status, body } = await other.clientOf(undefined).call('GET', path);
    expect([status, body.code]).toEqual([404, 'public_url_unset']);
    const identity = await other.api.call('GET', '/api/v1/workspace/identity');
    expect(identity.text).toContain(`"issuer":"urn:user-group-service:workspaces:${workspaceId}"`);
    await other.close();
  });

  test('the key set can be read and nothing else, and what is beside it is not there', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers, body } = await service.api.call(method, keySet);
      expect([method, status, headers['allow'], body.code, headers['cache-control']]).toEqual([
        method,
        405,
        'GET, HEAD',
        'method_not_allowed',
        'no-store',
      ]);
    }
    const head = await service.api.call('HEAD', keySet);
    expect([head.status, head.text]).toEqual([200, '']);
    const paths = [
      '/.well-known/jwks.json',
      '/.well-known/openid-configuration',
      ...['', '/x', '/ws_', `/${NO_WORKSPACE}0`, `/${NO_WORKSPACE.toUpperCase()}`, '/%00'].map(
        (path) => `/workspaces${path}/.well-known/jwks.json`,
      ),
      `${keySet}/x`,
      `/workspaces/${NO_WORKSPACE}`,
      `/workspaces/${NO_WORKSPACE}/.well-known`,
    ];
    for (const path of paths) {
      const { status, headers } = await service.api.call('GET', path);
      expect([path, status, headers['cache-control']]).toEqual([path, 404, 'no-store']);
    }
  });
});
