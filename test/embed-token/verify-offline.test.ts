import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import jsonwebtoken from 'jsonwebtoken';
import { createPublicKey } from 'node:crypto';
import { onEachDatabase, TEST_KEYS } from '../support/database/databases.ts';
import { keyList } from '../system/lab/keys.mjs';

import { withService } from '../support/test-service.ts';

const JWKS = '/.well-known/jwks.json';
const AUDIENCE = 'https://dashboards.example.com';
const ISSUER = 'https://groups.example.com';
const EXPECTED = { issuer: ISSUER, audience: AUDIENCE, algorithms: ['ES256' as const] };

onEachDatabase((kind) => {
  const service = withService(kind, {
    TOKEN_ENCRYPTION_KEYS: `${TEST_KEYS},${keyList('k2')}`,
    EMBED_TOKEN_ISSUER: ISSUER,
  });
  let token: string;

  beforeAll(async () => {
    await service.api.get({ user_group_id: 'acme', name: 'Acme' });
    token = await issue('acme');
  });

  const issue = async (id: string) => {
    const path = `/api/v1/user-groups/${encodeURIComponent(id)}/embed-tokens`;
    return (await service.api.call('POST', path, { audience: AUDIENCE })).body.embed_token.token;
  };
  const fetchKeys = async (): Promise<JSONWebKeySet> =>
    (await fetch(`${service.baseUrl}${JWKS}`)).json() as Promise<JSONWebKeySet>;

  test('jose verifies it, with the keys it fetches and with keys it was given', async () => {
    const remote = createRemoteJWKSet(new URL(JWKS, service.baseUrl));
    const local = createLocalJWKSet(await fetchKeys());
    for (const keys of [remote, local]) {
      const { payload, protectedHeader } = await jwtVerify(token, keys, EXPECTED);
      expect(payload).toMatchObject({ sub: 'acme', aud: AUDIENCE, iss: ISSUER, gen: 1 });
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
    expect(jsonwebtoken.verify(token, key, EXPECTED)).toMatchObject({ sub: 'acme', gen: 1 });
    expect(() => jsonwebtoken.verify(token, key, { ...EXPECTED, audience: 'other' })).toThrow(
      /audience/,
    );
  });

  test('any id of a group survives the way', async () => {
    const keys = createLocalJWKSet(await fetchKeys());
    for (const id of ['ü/ 漢字 😀', '"\\', '😀'.repeat(255), '__proto__']) {
      await service.api.get({ user_group_id: id, name: 'G' });
      expect((await jwtVerify(await issue(id), keys, EXPECTED)).payload.sub).toBe(id);
    }
  });

  test('the key set is public, says when to ask again, and can be read by pages', async () => {
    const answer = await service.clientOf(undefined).call('GET', JWKS);
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
    const open = await service.clientOf(undefined).call('GET', JWKS);
    for (const by of [service.clientOf('wrong'), service.api]) {
      const { status, text } = await by.call('GET', JWKS);
      expect([status, text]).toEqual([200, open.text]);
    }
  });

  test('the key set can be read and nothing else, and what is beside it is not there', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers, body } = await service.api.call(method, JWKS);
      expect([method, status, headers['allow'], body.code, headers['cache-control']]).toEqual([
        method,
        405,
        'GET, HEAD',
        'method_not_allowed',
        'no-store',
      ]);
    }
    const head = await service.api.call('HEAD', JWKS);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const path of ['/.well-known', `${JWKS}/x`, '/.well-known/openid-configuration']) {
      const { status, headers } = await service.api.call('GET', path);
      expect([path, status, headers['cache-control']]).toEqual([path, 404, 'no-store']);
    }
  });
});
