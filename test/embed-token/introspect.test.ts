import { decodeJwt, type JWTHeaderParameters, SignJWT } from 'jose';
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { encryptionKeys } from '../../src/platform/config/secret-readers.ts';
import {
  deriveSigningKey,
  type SigningKey,
} from '../../src/core/embed-token/signing/signing-key.ts';
import { keySetPath, workspaceIdOf } from '../support/api/workspace-keys.ts';
import { changeDatabase, onEachDatabase, TEST_KEYS } from '../support/database/databases.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { goTo } from '../support/time/fake-time.ts';

const AUDIENCE = 'https://dashboards.example.com';
const SCOPES = [
  'user-groups:read',
  'user-groups:write',
  'user-group-tokens:read',
  'tokens:introspect',
] as const;
/** An answer of another process, or of a moment ago, is of no use to these tests. */
const NO_CACHE = { 'Cache-Control': 'no-cache' };

interface Claims {
  [name: string]: unknown;
  iat: number;
  exp: number;
  sub: string;
  gen: number;
  team_id: number;
}

onEachDatabase((kind) => {
  const service = withService(kind, { TOKEN_ENCRYPTION_KEYS: TEST_KEYS });
  let workspaceId: string;
  let key: SigningKey;
  let count = 0;

  beforeAll(async () => {
    workspaceId = await workspaceIdOf(service.api);
    key = await deriveSigningKey(encryptionKeys(TEST_KEYS)[0]!.secret, workspaceId);
  });

  const embedTokensOf = (id: string) =>
    `/api/v1/user-groups/${encodeURIComponent(id)}/embed-tokens`;
  const issue = async (id: string, options: object = {}) => {
    const body = { audience: AUDIENCE, ...options };
    return (await service.api.call('POST', embedTokensOf(id), body)).body.embed_token.token;
  };
  const create = async (options?: object) => {
    const id = `group ${++count}`;
    const { body } = await service.api.get({ user_group_id: id, name: id });
    return { id, token: body.user_group.token, embedToken: await issue(id, options) };
  };
  const introspect = async (token: string) => {
    const answer = await service.api.call('POST', '/api/v1/introspect', { token }, NO_CACHE);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const isActive = async (token: string) => (await introspect(token)).active;
  const claimsOf = (token: string) => decodeJwt<Claims>(token) as Claims;
  /** Signed by the service’s own key, unless another is given. */
  const forge = (
    claims: object,
    header: Partial<JWTHeaderParameters> = {},
    by: KeyObject = key.privateKey,
  ) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: key.kid, ...header })
      .sign(by);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const rotate = (current_token: string, grace_period_seconds: number) =>
    service.api.post({ current_token, grace_period_seconds });

  test('an embed token means what the group’s token means, and says for whom it is', async () => {
    const mapping = { sales: 'warehouse', billing: 42 };
    const properties = { region: 'EMEA' };
    const { body } = await service.api.get({
      user_group_id: 'acme',
      name: 'Acme',
      mapping,
      properties,
    });
    const embedToken = await issue('acme', { origin: 'https://app.example.com' });
    const { iat, exp, jti, workspace_id } = claimsOf(embedToken);
    expect(await introspect(embedToken)).toEqual({
      active: true,
      sub: 'acme',
      team_id: body.user_group.team_id,
      name: 'Acme',
      mapping,
      properties,
      token_type: 'embed_token',
      iat,
      exp,
      aud: AUDIENCE,
      iss: `urn:user-group-service:workspaces:${workspaceId}`,
      workspace_id,
      jti,
      origin: 'https://app.example.com',
    });
    await service.api.put({ user_group_id: 'acme', name: 'Renamed', properties: { a: 1 } });
    expect(await introspect(embedToken)).toMatchObject({ name: 'Renamed', properties: { a: 1 } });
    expect(await introspect(await issue('acme'))).not.toHaveProperty('origin');
  });

  test('a form takes it as well as JSON', async () => {
    const { embedToken } = await create();
    const answer = await service.api.call('POST', '/api/v1/introspect', `token=${embedToken}`, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect([answer.status, answer.body.active]).toEqual([200, true]);
  });

  test('the longest ids, audience and origin make a token that is accepted', async () => {
    const issuer = `https://${'i'.repeat(247)}`;
    const other = await startTestService(kind);
    await other.api.call('PATCH', '/api/v1/workspace', { embed_token_issuer: issuer });
    const id = '😀'.repeat(255);
    await other.api.get({ user_group_id: id, name: 'Long' });
    const { body } = await other.api.call('POST', embedTokensOf(id), {
      audience: '漢'.repeat(85) + '😀'.repeat(170),
      origin: `https://${'a'.repeat(61)}.${'b'.repeat(61)}.${'c'.repeat(61)}.${'d'.repeat(60)}`,
    });
    const { token } = body.embed_token;
    const answer = await other.api.call('POST', '/api/v1/introspect', { token });
    expect(answer.body).toMatchObject({ active: true, sub: id, iss: issuer });
    await other.close();
  });

  test('it ends when its time is over, also one that was just introspected', async () => {
    const { embedToken } = await create({ expires_in_seconds: 60 });
    const { exp } = await introspect(embedToken);
    expect(exp).toBe(claimsOf(embedToken).exp);
    goTo(exp * 1000);
    expect(await introspect(embedToken)).toEqual({ active: false });
  });

  test('a rotation without a grace period ends it', async () => {
    const { id, token, embedToken } = await create();
    expect(await isActive(embedToken)).toBe(true);
    await rotate(token, 0);
    expect(await introspect(embedToken)).toEqual({ active: false });
    expect(await isActive(await issue(id))).toBe(true);
  });

  test('a grace period holds for it, and no longer', async () => {
    const { id, token, embedToken } = await create();
    await rotate(token, 60);
    const [old, byToken] = [await introspect(embedToken), await introspect(token)];
    expect(old).toMatchObject({ active: true, token_type: 'embed_token', exp: byToken.exp });
    expect(old.exp).toBeLessThan(claimsOf(embedToken).exp);
    const next = await issue(id);
    goTo(old.exp * 1000 + 1000);
    expect([await isActive(embedToken), await isActive(next)]).toEqual([false, true]);
  });

  test('a second rotation ends what hangs on the first', async () => {
    const { id, token, embedToken } = await create();
    const { body } = await rotate(token, 3600);
    const second = await issue(id);
    await rotate(body.user_group.token, 3600);
    expect([await isActive(embedToken), await isActive(second)]).toEqual([false, true]);
  });

  test('it expires by itself before a longer grace period does', async () => {
    const { token, embedToken } = await create();
    await rotate(token, 86_400);
    expect((await introspect(embedToken)).exp).toBe(claimsOf(embedToken).exp);
  });

  test('revoke now ends it', async () => {
    const { id, token, embedToken } = await create();
    await rotate(token, 3600);
    expect(await isActive(embedToken)).toBe(true);
    await service.api.call('POST', `/api/v1/user-groups/${encodeURIComponent(id)}/tokens/1/revoke`);
    expect(await introspect(embedToken)).toEqual({ active: false });
  });

  test('suspending the group ends it, and resuming gives back what is left', async () => {
    const { id, embedToken } = await create();
    for (const [at, active] of [
      ['1', false],
      ['NULL', true],
    ] as const) {
      await changeDatabase(
        service.database,
        `UPDATE user_group SET suspended_at = ${at} WHERE provided_id = '${id}'`,
      );
      expect(await isActive(embedToken)).toBe(active);
    }
  });

  test('deleting the group ends it, also when a group of the same id is made', async () => {
    const { id, embedToken } = await create();
    await changeDatabase(service.database, `DELETE FROM user_group WHERE provided_id = '${id}'`);
    expect(await introspect(embedToken)).toEqual({ active: false });
    await service.api.get({ user_group_id: id, name: 'again' });
    expect(await introspect(embedToken)).toEqual({ active: false });
    expect(await isActive(await issue(id))).toBe(true);
  });

  test('of those that are issued while the token is rotated, the ones of the new token are valid', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, token } = await create();
      const issuing = Array.from({ length: 8 }, () => issue(id));
      const [rotated, ...issued] = await Promise.all([rotate(token, 0), ...issuing]);
      expect(rotated.status).toBe(200);
      for (const embedToken of [...issued, await issue(id)]) {
        expect(await isActive(embedToken)).toBe(claimsOf(embedToken).gen === 2);
      }
    }
  });

  test('another workspace cannot introspect it', async () => {
    const { embedToken } = await create();
    const stranger = service.clientOf(await service.issueToken([...SCOPES], 'strangers'));
    const answer = await stranger.call('POST', '/api/v1/introspect', { token: embedToken });
    expect([answer.status, answer.text]).toEqual([200, '{"active":false}']);
    expect(await isActive(embedToken)).toBe(true);
  });

  test('it opens nothing: neither the interface nor a rotation', async () => {
    const { embedToken } = await create();
    const by = await service.clientOf(embedToken).get({ user_group_id: 'x' });
    expect([by.status, by.body.success]).toEqual([401, 0]);
    const rotated = await service.api.post({ current_token: embedToken });
    expect([rotated.status, rotated.body.code]).toEqual([404, 'token_not_found']);
  });

  describe('of what is no embed token of this installation nothing is told:', () => {
    test('the forger of these tests makes valid ones, if he has the key', async () => {
      const { embedToken } = await create();
      expect(await isActive(await forge(claimsOf(embedToken)))).toBe(true);
    });

    test('a token without a signature', async () => {
      const { embedToken } = await create();
      const payload = embedToken.split('.')[1]!;
      for (const alg of ['none', 'None', 'NONE', '']) {
        const header = encode({ alg, typ: 'JWT', kid: key.kid });
        for (const signature of ['', 'AA', embedToken.split('.')[2]!]) {
          expect(await isActive(`${header}.${payload}.${signature}`)).toBe(false);
        }
      }
    });

    test('the public key as the secret of an HMAC', async () => {
      const { embedToken } = await create();
      const publicKey = createPublicKey(key.privateKey);
      const secrets = [
        publicKey.export({ type: 'spki', format: 'pem' }),
        publicKey.export({ type: 'spki', format: 'der' }),
        JSON.stringify(key.publicJwk),
      ];
      for (const [alg, hash] of [
        ['HS256', 'sha256'],
        ['HS512', 'sha512'],
        ['ES256', 'sha256'],
      ] as const) {
        const signed = `${encode({ alg, typ: 'JWT', kid: key.kid })}.${embedToken.split('.')[1]}`;
        for (const secret of secrets) {
          const signature = createHmac(hash, secret).update(signed).digest('base64url');
          expect(await isActive(`${signed}.${signature}`)).toBe(false);
        }
      }
    });

    test('another key, whatever the header says about it', async () => {
      const claims = claimsOf((await create()).embedToken);
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const jwk = publicKey.export({ format: 'jwk' });
      const headers: object[] = [
        {},
        { kid: 'other' },
        { kid: '' },
        { kid: undefined },
        { kid: '__proto__' },
        { jwk },
        { kid: undefined, jwk },
        { jku: `${service.baseUrl}${keySetPath(workspaceId)}` },
        { x5u: 'https://attacker.example/x' },
      ];
      for (const header of headers) {
        expect(await isActive(await forge(claims, header, privateKey))).toBe(false);
      }
      const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
      expect(await isActive(await forge(claims, { alg: 'ES384' }, p384))).toBe(false);
    });

    test('the key of another installation', async () => {
      const claims = claimsOf((await create()).embedToken);
      const other = await deriveSigningKey(Buffer.alloc(32, 8), workspaceId);
      for (const kid of [other.kid, key.kid]) {
        expect(await isActive(await forge(claims, { kid }, other.privateKey))).toBe(false);
      }
    });

    test('the right key under a wrong header', async () => {
      const claims = claimsOf((await create()).embedToken);
      const headers: object[] = [
        { kid: undefined },
        { kid: 'other' },
        { typ: 'at+jwt' },
        { typ: undefined },
        { crit: ['exp'], exp: 1 },
        { crit: ['b64'], b64: true, typ: 'other' },
      ];
      for (const header of headers) {
        const protectedHeader = { alg: 'ES256', typ: 'JWT', kid: key.kid, ...header };
        const text = await new SignJWT(claims)
          .setProtectedHeader(protectedHeader)
          .sign(key.privateKey, { crit: { exp: true } })
          .catch(() => 'cannot be made');
        expect([header, await isActive(text)]).toEqual([header, false]);
      }
    });

    test('any part that was changed', async () => {
      const { embedToken } = await create();
      const [header, payload, signature] = embedToken.split('.') as [string, string, string];
      const claims = claimsOf(embedToken);
      for (const changes of [
        { exp: claims.exp + 1 },
        { sub: 'group 1' },
        { team_id: 1 },
        { aud: 'other' },
        { gen: 2 },
      ]) {
        const changed = encode({ ...claims, ...changes });
        expect(await isActive(`${header}.${changed}.${signature}`)).toBe(false);
      }
      for (const text of [
        `${header}.${payload}.${signature.slice(0, -2)}`,
        `${header}.${payload}.${signature.slice(2)}AA`,
        `${header}.${payload}.${'A'.repeat(86)}`,
        `${header}.${payload}`,
        `${header}.${payload}.`,
        `.${payload}.${signature}`,
        `${header}..${signature}`,
        `${embedToken}.`,
        `${embedToken}.${signature}`,
        ` ${embedToken}`,
        `${embedToken}\n`,
        `${embedToken}=`,
        embedToken.toUpperCase(),
      ]) {
        expect([text, await isActive(text)]).toEqual([text, false]);
      }
    });

    test('a right signature over wrong claims', async () => {
      const { id, token, embedToken } = await create();
      const other = await create();
      await rotate(token, 0);
      await issue(id);
      const claims = { ...claimsOf(embedToken), gen: 2 };
      expect(await isActive(await forge(claims))).toBe(true);
      const now = Math.floor(Date.now() / 1000);
      const changes: object[] = [
        { iss: 'https://other.example' },
        { exp: now },
        { exp: now - 1 },
        { exp: String(now + 60) },
        { exp: -1 },
        { exp: 1e300 },
        { nbf: now + 60 },
        { sub: other.id },
        { sub: '' },
        { sub: [id] },
        { team_id: claimsOf(other.embedToken).team_id },
        { team_id: String(claims.team_id) },
        { team_id: 1e300 },
        { team_id: 0.5 },
        { team_id: -1 },
        { team_id: null },
        { gen: 1 },
        { gen: 3 },
        { gen: '2' },
        { gen: -1 },
        { aud: [AUDIENCE] },
        { origin: 7 },
        { workspace_id: `ws_${'0'.repeat(32)}` },
        { workspace_id: '' },
        { workspace_id: null },
        { workspace_id: 1 },
        ...[
          'iss',
          'sub',
          'aud',
          'iat',
          'exp',
          'iat_ms',
          'epoch',
          'jti',
          'workspace_id',
          'team_id',
          'gen',
        ].map((name) => ({ [name]: undefined })),
      ];
      for (const change of changes) {
        const text = await forge({ ...claims, ...change });
        expect([change, await introspect(text)]).toEqual([change, { active: false }]);
      }
    });

    test('garbage of any size, never as a defect', async () => {
      const { embedToken } = await create();
      const [header, payload, signature] = embedToken.split('.') as [string, string, string];
      const part = 'A'.repeat(60_000);
      const random = () => Buffer.from(Array.from({ length: 40 }, () => Math.random() * 256));
      const texts = [
        '..',
        'a.b.c',
        `${part}.${part}.${part}`,
        `${header}.${part}.${signature}`,
        `${header}.${payload}.${part}`,
        '.'.repeat(100_000),
        'eyJ'.repeat(50_000),
        `${encode(null)}.${payload}.${signature}`,
        `${encode([])}.${payload}.${signature}`,
        `${encode('text')}.${payload}.${signature}`,
        `${encode({ alg: ['ES256'], kid: {} })}.${payload}.${signature}`,
        `${encode({ alg: 'ES256', kid: key.kid, crit: 'x' })}.${payload}.${signature}`,
        ...Array.from({ length: 50 }, () =>
          [random(), random(), random()].map((bytes) => bytes.toString('base64url')).join('.'),
        ),
        ...Array.from({ length: 50 }, () => `${header}.${random().toString('base64url')}.AAAA`),
      ];
      for (const text of texts) expect(await introspect(text)).toEqual({ active: false });
      for (const body of ['null', '[]', '"text"', '7', '{', '{"exp":']) {
        const signed = `${header}.${Buffer.from(body).toString('base64url')}`;
        expect(await introspect(`${signed}.${signature}`)).toEqual({ active: false });
      }
    });
  });
});
