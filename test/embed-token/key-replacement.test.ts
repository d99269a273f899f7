import { createRemoteJWKSet, jwtVerify } from 'jose';
import { keySetPath, workspaceIdOf } from '../support/api/workspace-keys.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { deriveSigningKey } from '../../src/core/embed-token/signing/signing-key.ts';
import { keyList } from '../system/lab/keys.mjs';
import { withKeys } from '../support/keys.ts';
import { runCli, startServer } from '../support/process/processes.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const GROUP = '/api/v1/user-groups/acme';

onEachDatabase((kind) => {
  let database: TestDatabase;
  let server: TestService | undefined;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
  });

  afterAll(async () => {
    await server?.close();
    await database.drop();
  });

  async function restart(...ids: string[]): Promise<TestService> {
    await server?.close();
    server = await startTestService(database, withKeys(database, ...ids));
    return server;
  }

  const issue = async ({ api }: Pick<TestService, 'api'>) =>
    (await api.call('POST', `${GROUP}/embed-tokens`, { audience: 'renderer' })).body.embed_token;

  const keysUrl = async ({ api, baseUrl }: TestService) =>
    new URL(keySetPath(await workspaceIdOf(api)), baseUrl);

  const kidsOf = async (running: TestService) => {
    const { keys } = (await (await fetch(await keysUrl(running))).json()) as {
      keys: { kid: string }[];
    };
    return keys.map(({ kid }) => kid);
  };

  /** Returns for each token whether it is accepted; the service and an offline verifier must agree. */
  async function accepted(running: TestService, tokens: string[]): Promise<boolean[]> {
    const keys = createRemoteJWKSet(await keysUrl(running));
    const results: boolean[] = [];
    for (const token of tokens) {
      const { body } = await running.api.call('POST', '/api/v1/introspect', { token });
      const offline = await jwtVerify(token, keys).then(
        () => true,
        () => false,
      );
      expect(offline).toBe(body.active);
      results.push(body.active);
    }
    return results;
  }

  test('embed tokens go on through the replacement of a key, until their key is taken out', async () => {
    let running = await restart('k1');
    await running.api.get({ user_group_id: 'acme', name: 'Acme' });
    const first = await issue(running);
    expect(await kidsOf(running)).toEqual([first.kid]);

    running = await restart('k1', 'k2');
    const second = await issue(running);
    expect(second.kid).toBe(first.kid);
    const [, newKid] = await kidsOf(running);
    expect(await accepted(running, [first.token, second.token])).toEqual([true, true]);

    running = await restart('k2', 'k1');
    const third = await issue(running);
    expect([third.kid, await kidsOf(running)]).toEqual([newKid, [newKid, first.kid]]);
    const tokens = [first.token, second.token, third.token];
    expect(await accepted(running, tokens)).toEqual([true, true, true]);

    expect((await runCli(withKeys(database, 'k2', 'k1'), 'keys', 'rewrap')).code).toBe(0);
    running = await restart('k2');
    expect(await kidsOf(running)).toEqual([newKid]);
    expect(await accepted(running, tokens)).toEqual([false, false, true]);
  });

  test('an introspection is written down for the token that the embed token hangs on', async () => {
    const running = await restart('k2');
    const { token } = await issue(running);
    const askedFrom = Date.now();
    await running.api.introspect(token);
    const { api } = await restart('k2');
    const [current] = (await api.call('GET', `${GROUP}/tokens`)).body.tokens;
    expect(Date.parse(current!.last_introspected_at!)).toBeGreaterThanOrEqual(askedFrom);
  });

  test('no private key is in what the service says or writes', async () => {
    const running = await startServer(withKeys(database, 'k2'));
    const workspaceId = await workspaceIdOf(running.api);
    const { privateKey, publicJwk } = await deriveSigningKey(secretOf('k2'), workspaceId);
    const { d } = privateKey.export({ format: 'jwk' }) as { d: string };
    const keySet = await running.api.call('GET', keySetPath(workspaceId));
    expect(keySet.text).toContain(publicJwk.x);
    expect(keySet.text).not.toContain('"d"');
    const { token } = await issue(running);
    for (const text of [keySet.text, token, running.output()]) {
      for (const encoding of ['base64url', 'base64', 'hex'] as const) {
        expect(text).not.toContain(Buffer.from(d, 'base64url').toString(encoding));
        expect(text).not.toContain(secretOf('k2').toString(encoding));
      }
    }
    await running.stop();
  });
});

/** The secret that `withKeys` gives to the key. */
function secretOf(id: string): Buffer {
  return Buffer.from(keyList(id).split(':')[1]!, 'base64');
}
