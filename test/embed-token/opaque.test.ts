import {
  base64url,
  CompactEncrypt,
  type CompactJWEHeaderParameters,
  decodeProtectedHeader,
  jwtVerify,
} from 'jose';
import { randomBytes } from 'node:crypto';
import {
  type ContentKey,
  deriveContentKey,
} from '../../src/core/embed-token/signing/content-key.ts';
import { encryptClaims } from '../../src/core/embed-token/signing/opaque-token.ts';
import { deriveSigningKey } from '../../src/core/embed-token/signing/signing-key.ts';
import { redactTokens } from '../../src/platform/common/secret/secrets.ts';
import { tokensIn } from '../../src/platform/common/secret/tokens-in.ts';
import { encryptionKeys } from '../../src/platform/config/secret-readers.ts';
import { createTestDatabase, onEachDatabase, TEST_KEYS } from '../support/database/databases.ts';
import { withKeys } from '../support/keys.ts';
import { TestWorkspace } from '../support/registry.ts';
import { runCli } from '../support/process/processes.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { workspaceIdOf } from '../support/api/workspace-keys.ts';

const PATH = '/api/v1/user-groups/acme/embed-tokens';
const NO_CACHE = { 'Cache-Control': 'no-cache' };
const { secret: SECRET } = encryptionKeys(TEST_KEYS)[0]!;

// Computed by another program from RFC 5869 alone.
test.each([
  [
    Buffer.alloc(32, 7),
    'ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718',
    'f6e7c480cb668b1efccb0192f3dccf29fd68ec7f93d86150d96c6b9a2564d2e8',
    'fXe0QeVm4rKjJib62NNi5Q',
  ],
  [
    Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
    `ws_${'0'.repeat(32)}`,
    '1e204db8ccadc10354e958b56e9a6b5e8fc8dda758f3a63a43360107db301f09',
    'ie_YwWtU51U_WZ85QCRDRw',
  ],
])('a secret and a workspace always give the same key %#', (secret, workspace, key, id) => {
  const derived = deriveContentKey(secret, workspace);
  expect([derived.kid, derived.secret.toString('hex')]).toEqual([`${workspace}.${id}`, key]);
});

onEachDatabase((kind) => {
  const service = withService(kind, { TOKEN_ENCRYPTION_KEYS: TEST_KEYS });
  let own: TestWorkspace;
  let other: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `opaque-${++count}`);
    other = await TestWorkspace.create(service, `opaque-other-${count}`);
    for (const workspace of [own, other]) await workspace.put('acme');
  });

  const issueFor = async (workspace: TestWorkspace, more: object = {}) => {
    const body = { audience: 'here', format: 'opaque', ...more };
    const answer = await workspace.api.call('POST', PATH, body);
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    return answer.body.embed_token;
  };
  const issue = async (more: object = {}) => (await issueFor(own, more)).token;
  const isActive = async (token: string, workspace = own) =>
    (await workspace.api.introspect(token, NO_CACHE)).active;
  const reasonOf = async (token: string, workspace = own) => {
    const { body } = await workspace.api.call('POST', '/api/v1/tokens/inspect', { token });
    const { kind: what, reason } = (
      body as unknown as { inspection: { kind: string; reason: string | null } }
    ).inspection;
    return [what, reason];
  };
  const keyOf = async (workspace: TestWorkspace): Promise<ContentKey> =>
    deriveContentKey(SECRET, await workspaceIdOf(workspace.api));
  /** The claims of a token of the group, as a JWT shows them. */
  const claimsOfJwt = async (workspace: TestWorkspace) => {
    const { token } = await issueFor(workspace, { format: 'jwt' });
    return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as object;
  };

  test('a token is a JWE that says its key and nothing else, and means what a JWT does', async () => {
    const user = { id: 'u-17', name: 'Ada', email: 'ada@acme.example' };
    const resources = [{ type: 'dashboard', id: 'sales' }];
    const origin = 'https://app.example.com';
    const { token, kid, expires_in } = await issueFor(own, { user, resources, origin });
    expect(token).toMatch(/^[\w-]{100,200}\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(decodeProtectedHeader(token)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid,
      typ: 'JWT',
    });
    expect([kid, expires_in]).toEqual([(await keyOf(own)).kid, 600]);
    const { active, ...seen } = await own.api.introspect(token);
    const jwt = await own.api.introspect(
      (await issueFor(own, { user, resources, origin, format: 'jwt' })).token,
    );
    const changing = { iat: expect.any(Number), exp: expect.any(Number), jti: expect.any(String) };
    expect(active).toBe(true);
    expect(jwt).toEqual({ active, ...seen, ...changing });
    expect((await issueFor(own)).token.split('.')[2]).not.toBe(token.split('.')[2]);
  });

  test('no offline verifier takes it, with no key of the workspace', async () => {
    const token = await issue();
    const { publicJwk, privateKey } = await deriveSigningKey(SECRET, await workspaceIdOf(own.api));
    for (const key of [publicJwk, privateKey]) {
      await expect(jwtVerify(token, key)).rejects.toThrow();
    }
    const keys = await own.api.call(
      'GET',
      `/workspaces/${await workspaceIdOf(own.api)}/.well-known/jwks.json`,
    );
    expect(keys.text).not.toContain((await keyOf(own)).kid);
  });

  test('introspection takes the tokens of its caller’s workspace alone, and so does inspection', async () => {
    const tokens = [await issue(), (await issueFor(other)).token] as const;
    expect([await isActive(tokens[0]), await isActive(tokens[1])]).toEqual([true, false]);
    expect([await isActive(tokens[0], other), await isActive(tokens[1], other)]).toEqual([
      false,
      true,
    ]);
    expect(await reasonOf(tokens[1])).toEqual(['unknown', 'unknown']);
  });

  test('it ends as a JWT does: by rotation, suspension, revocation, the kill switch, the issuer, deletion', async () => {
    const { token: current } = (await own.api.get({ user_group_id: 'acme' })).body.user_group;
    let token = await issue();
    await own.api.rotate(current);
    expect([await isActive(token), await reasonOf(token)]).toEqual([
      false,
      ['embed_token', 'superseded'],
    ]);
    const group = '/api/v1/user-groups/acme';
    token = await issue();
    await own.api.call('POST', `${group}/suspend`);
    expect([await isActive(token), await reasonOf(token)]).toEqual([
      false,
      ['embed_token', 'group_suspended'],
    ]);
    await own.api.call('POST', `${group}/resume`);
    expect(await isActive(token)).toBe(true);
    expect((await other.api.call('POST', '/api/v1/revoke', { token })).status).toBe(200);
    expect(await isActive(token)).toBe(true);
    await own.api.call('POST', '/api/v1/revoke', { token });
    expect([await isActive(token), await reasonOf(token)]).toEqual([
      false,
      ['embed_token', 'revoked'],
    ]);
    token = await issue();
    const ending = { kinds: ['embed_token'], reason: 'drill' };
    expect((await own.api.call('POST', '/api/v1/workspace/end-tokens', ending)).status).toBe(200);
    expect([await isActive(token), await reasonOf(token)]).toEqual([
      false,
      ['embed_token', 'tokens_ended'],
    ]);
    token = await issue({ acting_for: { subject: 'kim', reason: 'r' } });
    expect((await own.api.introspect(token, NO_CACHE)) as object).toMatchObject({
      act: { sub: 'kim' },
    });
    await own.set({ view_as: 'forbidden' });
    expect(await reasonOf(token)).toEqual(['embed_token', 'view_as_forbidden']);
    expect(await isActive(token)).toBe(false);
    token = await issue();
    await own.set({ embed_token_issuer: 'https://other.example.com' });
    expect([await isActive(token), await reasonOf(token)]).toEqual([
      false,
      ['embed_token', 'issuer_differs'],
    ]);
    token = await issue();
    await own.api.call('DELETE', group);
    expect([await isActive(token), await reasonOf(token)]).toEqual([
      false,
      ['embed_token', 'group_deleted'],
    ]);
  });

  test('a token in a text is found, reported and redacted', async () => {
    const token = await issue();
    const line = `GET /embed?userGroupToken=${token}, "${token}".`;
    expect(tokensIn(line)).toContain(token);
    expect(redactTokens(line)).toBe('GET /embed?userGroupToken=eyJ[redacted], "eyJ[redacted]".');
    for (let length = 40; length < token.length; length += 7) {
      const [, iv = '', text = ''] = /\.\.([^.]*)\.?([^.]*)/.exec(token.slice(0, length)) ?? [];
      const redacted = redactTokens(token.slice(0, length));
      if (iv !== '') expect(redacted).not.toContain(iv);
      if (text.length > 10) expect(redacted).not.toContain(text);
    }
    await own.api.call('POST', '/api/v1/tokens/report-leaked', {
      tokens: [line],
      source: 'test',
    });
    expect(await isActive(token)).toBe(false);
  });

  describe('refused, and never a defect:', () => {
    test('every change of one character', async () => {
      const token = await issue();
      const ends = token.length - 1;
      for (let index = 0; index < ends; index += 3) {
        const letter = token[index] === 'A' ? 'B' : 'A';
        const changed = token.slice(0, index) + letter + token.slice(index + 1);
        expect([index, await isActive(changed)]).toEqual([index, false]);
      }
      const [header, , iv, text, tag] = token.split('.') as [string, '', string, string, string];
      for (const changed of [
        `${header}..${iv}.${text}.`,
        `${header}..${iv}..${tag}`,
        `${header}...${text}.${tag}`,
        `${header}..${iv}.${text}.${tag}.`,
        `.${token}`,
        ` ${token}`,
        `${header}.AAAA.${iv}.${text}.${tag}`,
        `${header}..${iv}.${text}.${tag.slice(0, 16)}`,
        `${header}..${iv}.${text.slice(0, -4)}.${tag}`,
      ]) {
        expect([changed, await isActive(changed)]).toEqual([changed, false]);
      }
      expect(await reasonOf(`${header}..${iv}.${text}.${'A'.repeat(22)}`)).toEqual([
        'embed_token',
        'signature_invalid',
      ]);
    });

    test('any other header, also under the key of the service', async () => {
      const { kid, secret } = await keyOf(own);
      const claims = Buffer.from(JSON.stringify(await claimsOfJwt(own)));
      const make = (header: object, key: Uint8Array = secret) =>
        new CompactEncrypt(claims)
          .setProtectedHeader({
            ...({ alg: 'dir', enc: 'A256GCM', kid, typ: 'JWT' } as CompactJWEHeaderParameters),
            ...header,
          })
          .encrypt(key);
      // The header that the service issues is accepted, so the others are refused for theirs alone.
      expect(await isActive(await make({}))).toBe(true);
      for (const header of [
        { kid: undefined },
        { kid: '' },
        { kid: kid.slice(0, -1) },
        { kid: `${kid}x` },
        { kid: `${kid.slice(0, -22)}${'A'.repeat(22)}` },
        { kid: (await keyOf(other)).kid },
        { typ: undefined },
        { typ: 'at+jwt' },
        { cty: 'JWT' },
        { p2c: 1 },
        { jku: 'https://attacker.example/jwks.json' },
        { jwk: { kty: 'oct', k: base64url.encode(secret) } },
        { x5u: 'https://attacker.example' },
      ]) {
        expect([header, await isActive(await make(header))]).toEqual([header, false]);
      }
      const narrow = await make({ enc: 'A128GCM' }, secret.subarray(0, 16));
      const mac = await make({ enc: 'A256CBC-HS512' }, Buffer.concat([secret, secret]));
      const wrapped = await make({ alg: 'A256KW' });
      for (const token of [narrow, mac, wrapped]) expect(await isActive(token)).toBe(false);
      const [, , iv, text, tag] = (await make({})).split('.');
      for (const header of [
        { alg: 'none', enc: 'A256GCM', kid, typ: 'JWT' },
        { alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', kid, typ: 'JWT', p2s: 'AAAA', p2c: 1e9 },
        { alg: 'dir', enc: 'A256GCM', kid, typ: 'JWT', zip: 'DEF' },
        { alg: 'dir', enc: 'A256GCM', kid, typ: 'JWT', crit: ['exp'], exp: 1 },
        { alg: 'dir', enc: 'A256GCM', kid, typ: ['JWT'] },
        { alg: ['dir'], enc: 'A256GCM', kid, typ: 'JWT' },
        [kid],
        kid,
        null,
      ]) {
        const forged = `${base64url.encode(JSON.stringify(header))}..${iv}.${text}.${tag}`;
        expect([header, await isActive(forged)]).toEqual([header, false]);
      }
      const spaced = base64url.encode(
        JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid, typ: 'JWT' }).replace(':', ' :'),
      );
      expect(await isActive(`${spaced}..${iv}.${text}.${tag}`)).toBe(false);
    });

    test('a key that somebody else has made, also under a known kid', async () => {
      const { kid, secret } = await keyOf(own);
      const claims = await claimsOfJwt(own);
      expect(await isActive(await encryptClaims(claims, { kid, secret }))).toBe(true);
      const unknown = { kid: `${kid.slice(0, 35)}.${randomBytes(16).toString('base64url')}` };
      for (const key of [
        { kid, secret: randomBytes(32) },
        { kid, secret: Buffer.alloc(32) },
        { kid, secret: SECRET },
        { ...unknown, secret },
        { ...unknown, secret: randomBytes(32) },
        { kid, secret: (await keyOf(other)).secret },
        { kid: (await keyOf(other)).kid, secret },
      ]) {
        const forged = await encryptClaims(claims, key);
        expect([await isActive(forged), await isActive(forged, other)]).toEqual([false, false]);
      }
    });

    test('claims of another workspace, of the wrong type, or none, under the right key', async () => {
      const [key, theirs] = [await keyOf(own), await keyOf(other)];
      const claims = await claimsOfJwt(own);
      const foreign = await claimsOfJwt(other);
      for (const forged of [
        await encryptClaims(foreign, key),
        await encryptClaims({ ...claims, workspace_id: theirs.kid.slice(0, 35) }, key),
        await encryptClaims(claims, theirs),
        await encryptClaims({ ...claims, exp: undefined }, key),
        await encryptClaims({ ...claims, exp: 1 }, key),
        await encryptClaims({ ...claims, gen: '1' }, key),
        await encryptClaims([], key),
        await encryptClaims(null as unknown as object, key),
        await encryptClaims('text' as unknown as object, key),
      ]) {
        expect([await isActive(forged), await isActive(forged, other)]).toEqual([false, false]);
      }
    });

    test('garbage of any size', async () => {
      const part = 'A'.repeat(60_000);
      for (const text of [
        '....',
        `${part}..${'A'.repeat(16)}.${part}.${'A'.repeat(22)}`,
        `eyJ..${'A'.repeat(16)}.A.${'A'.repeat(22)}`,
        '.'.repeat(100_000),
      ]) {
        expect(await isActive(text)).toBe(false);
      }
    });
  });

  test('the longest of all texts make a token that is accepted', async () => {
    const longest = '😀'.repeat(255);
    await own.set({
      embed_token_issuer: `https://${'i'.repeat(247)}`,
      variables: [{ name: 'note', type: 'string', source: 'token' }],
    });
    await own.api.put({ user_group_id: longest, name: 'Long' });
    const { status, body } = await own.api.call(
      'POST',
      `/api/v1/user-groups/${encodeURIComponent(longest)}/embed-tokens`,
      {
        audience: longest,
        format: 'opaque',
        origin: `https://${'a'.repeat(61)}.${'b'.repeat(61)}.${'c'.repeat(61)}.${'d'.repeat(60)}`,
        user: { id: longest, name: longest, email: `${'😀'.repeat(253)}@b` },
        resources: Array.from({ length: 50 }, (_, n) => ({
          type: 'd',
          id: `${n}${'-'.repeat(59)}`,
        })),
        variables: { note: 'é'.repeat(500) },
        acting_for: { subject: longest, reason: 'r' },
      },
    );
    expect([status, body.errors]).toEqual([201, undefined]);
    expect(await isActive(body.embed_token.token)).toBe(true);
  });

  test('tokens go on through the replacement of a key, until their key is taken out', async () => {
    const database = await createTestDatabase(kind);
    const issued: string[] = [];
    const restart = async (...ids: string[]) => {
      const running = await startTestService(database, withKeys(database, ...ids));
      await running.api.put({ user_group_id: 'acme', name: 'Acme' });
      const answer = await running.api.call('POST', PATH, { audience: 'here', format: 'opaque' });
      issued.push(answer.body.embed_token.token);
      const accepted = await Promise.all(issued.map((token) => running.api.isActive(token)));
      await running.close();
      return [answer.body.embed_token.kid, accepted] as const;
    };
    const [first] = await restart('k1');
    expect(await restart('k1', 'k2')).toEqual([first, [true, true]]);
    const [second, accepted] = await restart('k2', 'k1');
    expect([second === first, accepted]).toEqual([false, [true, true, true]]);
    expect((await runCli(withKeys(database, 'k2', 'k1'), 'keys', 'rewrap')).code).toBe(0);
    expect(await restart('k2')).toEqual([second, [false, false, true, true]]);
    await database.drop();
  });
});
