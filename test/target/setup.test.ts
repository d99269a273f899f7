import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TargetDefinition } from '../../src/features/target/definition/target-definition.ts';
import { type ToolSetup, toolSetupOf } from '../../src/features/target/setup/tool-setup.ts';
import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { registryBody, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { bodies, pemOf, SECRET } from './target-bodies.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/guides/targets.md'), 'utf8');
const ID = 'ws_0123456789abcdef0123456789abcdef';
const ISSUER = `https://user-groups.example.com/workspaces/${ID}`;

const setupOf = (answer: Answer) => (answer.body as unknown as { setup: ToolSetup }).setup;

test.each(Object.entries(bodies))('the page of targets has the settings of %s', (_, body) => {
  const definition = body as unknown as TargetDefinition;
  const { settings, notes } = toolSetupOf({
    definition: { ...definition, audience: definition.audience ?? null },
    issuer: ISSUER,
    jwksUrl: `${ISSUER}/.well-known/jwks.json`,
    isExampleHost: false,
  });
  const plain = (text: string) => text.replace(/[*`]/g, '').replace(/\s+/g, ' ');
  if (settings !== null) expect(page).toContain(`\n${settings}\n\`\`\`\n`);
  for (const note of notes) expect(plain(page)).toContain(plain(note));
});

onEachDatabase((kind) => {
  const service = withService(kind, { PUBLIC_URL: 'https://groups.acme.example' });
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `setup ${++count}`);
  });

  const put = (name: string, body: object) => own.api.call('PUT', `/api/v1/targets/${name}`, body);
  const setup = async (name: string) =>
    setupOf(await own.api.call('GET', `/api/v1/targets/${name}/setup`));

  test.each(Object.entries(bodies))('the setup of %s has no secret', async (name, body) => {
    expect((await put(name, body)).status).toBe(201);
    const answer = await own.api.call('GET', `/api/v1/targets/${name}/setup`);
    expect([answer.status, setupOf(answer).place]).toEqual([200, expect.any(String)]);
    expect(answer.text).not.toContain(SECRET);
  });

  test('Grafana learns of the keys and the issuer of the workspace, and of its own user', async () => {
    const claims = { who: { $: 'user.key' } };
    await put('grafana', { ...bodies.grafana, claims });
    const { id } = registryBody(await own.api.call('GET', '/api/v1/workspace')).workspace;
    const keys = `jwk_set_url = https://groups.acme.example/workspaces/${id}/.well-known/jwks.json`;
    expect((await setup('grafana')).settings!.split('\n')).toEqual(
      expect.arrayContaining([keys, 'username_claim = who']),
    );
    await own.set({ embed_token_issuer: 'https://issuer.example' });
    const { settings } = await setup('grafana');
    expect(settings).toContain('{"iss": "https://issuer.example", "aud"');
    expect(settings).toContain(keys);
    await put('grafana', { ...bodies.grafana, claims: {} });
    expect((await setup('grafana')).settings).toContain('username_claim = sub\n');
  });

  test('a verifier gets the public keys of the target, and never the private ones', async () => {
    const { privateKey } = pemOf.ec('prime256v1');
    const keys = [{ id: 'k1', private_key: privateKey }];
    await put('own', { ...bodies.jwt, signing: { alg: 'ES256', keys } });
    const { settings } = await setup('own');
    const [alg, aud, set] = settings!.split('\n');
    expect([alg, aud]).toEqual(['alg: ES256', 'aud: reports']);
    const jwks = JSON.parse(set!.slice('keys: '.length)) as { keys: object[] };
    expect(jwks.keys).toEqual([expect.objectContaining({ kid: 'k1', kty: 'EC' })]);
    expect(Object.keys(jwks.keys[0]!)).not.toContain('d');
  });

  test('a text of an audience stays a text in the settings', async () => {
    await put('bi', { ...bodies.superset, audience: 'a"\\n' });
    expect((await setup('bi')).settings).toContain(String.raw`AUDIENCE = "a\"\\n"`);
  });

  test('a name of a claim becomes no other setting', async () => {
    const claims = { 'x; a = b': { $: 'user.key' } };
    expect((await put('grafana', { ...bodies.grafana, claims })).status).toBe(201);
    expect((await setup('grafana')).settings).toContain('username_claim = sub\n');
  });

  test('no target has none', async () => {
    for (const name of ['none', 'NONE', '%00']) {
      const { status, body } = await own.api.call('GET', `/api/v1/targets/${name}/setup`);
      expect([status, body.code]).toEqual([404, 'target_not_found']);
    }
  });
});
