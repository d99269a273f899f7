import { decodeJwt, SignJWT } from 'jose';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encryptionKeys } from '../../src/platform/config/secret-readers.ts';
import {
  deriveSigningKey,
  type SigningKey,
} from '../../src/core/embed-token/signing/signing-key.ts';
import type { UpdateWorkspaceRequest } from '../../src/features/registry/settings/dto/workspace.dto.ts';
import { onEachDatabase, TEST_KEYS } from '../support/database/databases.ts';
import { errorsOf, registryBody, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

const AUDIENCE = 'https://dashboards.example.com';
const root = join(import.meta.dirname, '..', '..');
const documented = readFileSync(join(root, 'examples', 'embed-tokens', 'verify.mjs'), 'utf8');

/** The result of the documented check for each token: its owner, or `refused`. */
async function verifyAsDocumented(
  env: { GROUPS_URL: string; ISSUER: string; WORKSPACE_ID: string },
  tokens: string[],
): Promise<string[]> {
  const program = `${documented}
    for (const token of process.argv.slice(1)) {
      console.log(await verifyEmbedToken(token).then(({ sub }) => sub, () => 'refused'));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, ...tokens], {
    cwd: root,
    env: { ...env, AUDIENCE },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  await new Promise((resolve) => child.on('close', resolve));
  return output.trim().split('\n');
}

onEachDatabase((kind) => {
  const service = withService(kind, { TOKEN_ENCRYPTION_KEYS: TEST_KEYS });
  let own: TestWorkspace;
  let other: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `own-${++count}`);
    other = await TestWorkspace.create(service, `other-${count}`);
    for (const workspace of [own, other]) await workspace.put('acme');
  });

  const issueFor = (workspace: TestWorkspace, audience = AUDIENCE) =>
    workspace.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', { audience });
  const issue = async (workspace: TestWorkspace) =>
    (await issueFor(workspace)).body.embed_token.token;
  const settingsOf = async (workspace: TestWorkspace) =>
    registryBody(await workspace.api.call('GET', '/api/v1/workspace')).workspace;
  const isActive = async (workspace: TestWorkspace, token: string) =>
    (await workspace.introspect(token)).body.active;
  const set = (workspace: TestWorkspace, settings: UpdateWorkspaceRequest) =>
    workspace.set(settings);

  test('the documented check takes the tokens of its workspace, and of no other', async () => {
    const tokens = [await issue(own), await issue(other)];
    const GROUPS_URL = service.baseUrl;
    for (const [workspace, verdicts] of [
      [own, ['acme', 'refused']],
      [other, ['refused', 'acme']],
    ] as const) {
      const WORKSPACE_ID = (await settingsOf(workspace)).id;
      const ISSUER = `urn:user-group-service:workspaces:${WORKSPACE_ID}`;
      const env = { GROUPS_URL, WORKSPACE_ID, ISSUER };
      expect(await verifyAsDocumented(env, tokens)).toEqual(verdicts);
      for (const wrong of [{ WORKSPACE_ID: '' }, { ISSUER: 'user-group-service' }]) {
        expect(await verifyAsDocumented({ ...env, ...wrong }, tokens)).toEqual([
          'refused',
          'refused',
        ]);
      }
    }
  });

  test('the documented check takes no token of a target, which the same key signs', async () => {
    const claims = { login: { $: 'user.key' } };
    await own.api.call('PUT', '/api/v1/targets/g', { kind: 'grafana', audience: AUDIENCE, claims });
    const user = { id: 'u' };
    const path = '/api/v1/user-groups/acme/embed-tokens';
    const { token } = (await own.api.call('POST', path, { target: 'g', user })).body.embed_token;
    const WORKSPACE_ID = (await settingsOf(own)).id;
    const ISSUER = `urn:user-group-service:workspaces:${WORKSPACE_ID}`;
    const env = { GROUPS_URL: service.baseUrl, WORKSPACE_ID, ISSUER };
    expect(await verifyAsDocumented(env, [token, await issue(own)])).toEqual(['refused', 'acme']);
  });

  test('a token names its workspace by an id that says nothing and stays', async () => {
    const { id } = await settingsOf(own);
    const claims = decodeJwt(await issue(own));
    expect(claims).toMatchObject({ workspace_id: id });
    expect(id).toMatch(/^ws_[0-9a-f]{32}$/);
    expect((await settingsOf(other)).id).not.toBe(id);
    await own.set({ required_schemas: [], embed_token_audiences: [AUDIENCE] });
    expect((await settingsOf(own)).id).toBe(id);
    const refused = await own.set({ id: `ws_${'0'.repeat(32)}` });
    expect([refused.status, errorsOf(refused)]).toEqual([422, [['/id', 'unknown']]]);
  });

  test('introspection takes the tokens of its caller’s workspace alone', async () => {
    const token = await issue(own);
    expect((await own.introspect(token)).body).toMatchObject({
      active: true,
      workspace_id: (await settingsOf(own)).id,
    });
    expect((await other.introspect(token)).text).toBe('{"active":false}');
    const { secret } = encryptionKeys(TEST_KEYS)[0]!;
    const ids = [(await settingsOf(own)).id, (await settingsOf(other)).id] as const;
    const keys = await Promise.all(ids.map((id) => deriveSigningKey(secret, id)));
    const sign = ({ privateKey, kid }: SigningKey, changes: object) =>
      new SignJWT({ ...decodeJwt(token), ...changes })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
        .sign(privateKey);
    expect(await isActive(own, await sign(keys[0]!, {}))).toBe(true);
    // Each key with the other id, and the other key under the own id and `kid`.
    for (const forged of [
      await sign(keys[0]!, { workspace_id: ids[1] }),
      await sign(keys[1]!, { workspace_id: ids[0] }),
      await sign({ ...keys[1]!, kid: keys[0]!.kid }, { workspace_id: ids[0] }),
      await sign(keys[0]!, { workspace_id: undefined }),
      await sign(keys[0]!, { workspace_id: [ids[0]] }),
    ]) {
      expect([await isActive(own, forged), await isActive(other, forged)]).toEqual([false, false]);
    }
  });

  test('a workspace can have an issuer of its own, which ends the tokens of the one before', async () => {
    const before = await issue(own);
    await set(own, { embed_token_issuer: 'https://groups.example.com/own' });
    const after = await issue(own);
    expect(decodeJwt(after).iss).toBe('https://groups.example.com/own');
    expect([await isActive(own, before), await isActive(own, after)]).toEqual([false, true]);
    const theirs = await issue(other);
    expect([decodeJwt(theirs).iss, await isActive(other, theirs)]).toEqual([
      `urn:user-group-service:workspaces:${(await settingsOf(other)).id}`,
      true,
    ]);
    expect((await set(own, { embed_token_audiences: [] })).status).toBe(200);
    expect((await settingsOf(own)).embed_token_issuer).toBe('https://groups.example.com/own');
    await set(own, { embed_token_issuer: null });
    expect([await isActive(own, before), await isActive(own, after)]).toEqual([true, false]);
  });

  test.each(['its default', 'https://groups.example.com/own'])(
    'choosing the issuer of another workspace makes nobody one of its groups: %s',
    async (chosen) => {
      const issuer = chosen === 'its default' ? String(decodeJwt(await issue(own)).iss) : chosen;
      for (const workspace of [own, other]) await set(workspace, { embed_token_issuer: issuer });
      const tokens = [await issue(own), await issue(other)];
      expect([await isActive(own, tokens[1]!), await isActive(other, tokens[0]!)]).toEqual([
        false,
        false,
      ]);
      const env = { GROUPS_URL: service.baseUrl, ISSUER: issuer };
      const WORKSPACE_ID = (await settingsOf(own)).id;
      expect(await verifyAsDocumented({ ...env, WORKSPACE_ID }, tokens)).toEqual([
        'acme',
        'refused',
      ]);
    },
  );

  test('a workspace can allow some audiences alone', async () => {
    await set(own, { embed_token_audiences: [AUDIENCE, 'é'] });
    for (const audience of [AUDIENCE, 'é']) {
      expect((await issueFor(own, audience)).status).toBe(201);
    }
    for (const audience of ['https://dashboards.example.com/', 'e\u0301', 'É', AUDIENCE + ' ']) {
      const answer = await issueFor(own, audience);
      expect([answer.status, answer.body.code, errorsOf(answer)]).toEqual([
        422,
        'validation_failed',
        [['/audience', 'not_acceptable']],
      ]);
    }
    expect((await issueFor(other, 'any')).status).toBe(201);
    await set(own, { embed_token_audiences: [] });
    expect((await issueFor(own, 'any')).status).toBe(201);
  });

  test('a change is recorded with what it changed', async () => {
    await set(own, { embed_token_issuer: 'own', embed_token_audiences: ['a'] });
    await set(own, { embed_token_issuer: 'own', embed_token_audiences: ['a'] });
    const { body } = await own.api.call('GET', '/api/v1/audit-events?types=workspace.update');
    const { text } = await own.api.call('GET', '/api/v1/workspace');
    expect(text).toContain(`"id":"${body.audit_events[0]!.object!.id}"`);
    expect(body.audit_events.map(({ before, after }) => [before, after])).toEqual([
      [
        { embed_token_issuer: null, embed_token_audiences: [] },
        { embed_token_issuer: 'own', embed_token_audiences: ['a'] },
      ],
    ]);
  });

  test.each<[string, object, string, string]>([
    ['an empty issuer', { embed_token_issuer: '' }, '/embed_token_issuer', 'not_acceptable'],
    ['no URL', { embed_token_issuer: 'https://' }, '/embed_token_issuer', 'not_acceptable'],
    ['a space', { embed_token_issuer: 'a b' }, '/embed_token_issuer', 'not_acceptable'],
    [
      'too long an issuer',
      { embed_token_issuer: 'i'.repeat(256) },
      '/embed_token_issuer',
      'not_acceptable',
    ],
    ['a number', { embed_token_issuer: 7 }, '/embed_token_issuer', 'type'],
    ['no list', { embed_token_audiences: 'a' }, '/embed_token_audiences', 'type'],
    ['null', { embed_token_audiences: null }, '/embed_token_audiences', 'type'],
    [
      'an empty audience',
      { embed_token_audiences: ['a', ''] },
      '/embed_token_audiences/1',
      'empty',
    ],
    [
      'an audience that is none',
      { embed_token_audiences: ['\u0007'] },
      '/embed_token_audiences/0',
      'control_character',
    ],
    [
      'an audience twice',
      { embed_token_audiences: ['a', 'a'] },
      '/embed_token_audiences/1',
      'repeated',
    ],
    [
      'too many audiences',
      { embed_token_audiences: Array.from({ length: 101 }, (_, n) => `a${n}`) },
      '/embed_token_audiences',
      'too_many',
    ],
  ])('%s is refused, and nothing is changed', async (_name, settings, pointer, code) => {
    const answer = await own.set({ required_schemas: ['s'], ...settings });
    expect([answer.status, errorsOf(answer)]).toEqual([422, [[pointer, code]]]);
    expect((await settingsOf(own)).required_schemas).toEqual([]);
  });
});
