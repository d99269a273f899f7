import { freePort } from '../system/lab/ports.mjs';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { ForgingProvider } from '../support/servers/forging-provider.ts';
import { runCli, type RunningServer, startServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';

const SECRETS = ['a-role-of-anna', 'anna@example.com', 'https://graph.example.com/anna'];

onEachDatabase((kind) => {
  let provider: ForgingProvider;
  let database: TestDatabase;
  let server: RunningServer;
  let metricsPort: number;

  beforeAll(async () => {
    provider = await ForgingProvider.start();
    database = await createTestDatabase(kind);
    const port = await freePort();
    metricsPort = await freePort();
    const workspace = { workspace: 'default', scopes: ['admin'] };
    server = await startServer({
      ...database.env,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      CONSOLE_OIDC_ISSUER: provider.issuer,
      CONSOLE_OIDC_CLIENT_ID: 'console',
      CONSOLE_OIDC_GRANTS: JSON.stringify([
        { claim: 'groups', value: 'operators', ...workspace },
        { claim: 'realm_access.roles', value: 'operator', ...workspace },
        { claim: 'email', value: 'anna@example.com', ...workspace },
      ]),
    });
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
    provider.stop();
  });

  const linesOf = (requestId: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes(`"${requestId}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  /** The lines of a sign-in that was refused with this code: what is told, and the request itself. */
  async function refusedWith(code: string, flaw: object) {
    const { place } = await provider.signIn(server.baseUrl, flaw);
    expect(place).toContain(`error=${code}`);
    const id = new URLSearchParams(place.split('?')[1]).get('request_id')!;
    await until(() => linesOf(id).length >= 2);
    const [told, request, ...more] = linesOf(id);
    expect(more).toEqual([]);
    expect(request).toMatchObject({ msg: 'request', status: 302, code });
    return told;
  }
  const countOf = async (code: string) => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(new RegExp(`^http_problems_total{code="${code}"} (\\d+)`, 'm').exec(text)![1]);
  };

  test('who is granted nothing is named in the log, with the names of the claims and no value', async () => {
    const before = await countOf('sign_in_not_granted');
    const claims = {
      groups: undefined,
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: SECRETS[2] } },
      realm_access: { roles: [SECRETS[0]] },
      email: SECRETS[1],
    };
    expect(await refusedWith('sign_in_not_granted', { claims })).toMatchObject({
      level: 'warn',
      msg: 'sign_in_not_granted',
      subject: `${provider.issuer}#anna`,
      claims: expect.arrayContaining(['sub', 'email', 'realm_access', '_claim_names']),
      granting: { groups: 'absent', 'realm_access.roles': 'list of 1', email: 'not verified' },
      left_out: ['groups'],
      fitting: [],
    });
    expect(await countOf('sign_in_not_granted')).toBe(before + 1);
    for (const secret of SECRETS) expect(server.output()).not.toContain(secret);
  });

  test('a sign-in that fails tells why in the words of the error alone', async () => {
    const before = await countOf('sign_in_failed');
    const told = await refusedWith('sign_in_failed', { claims: { nonce: 'another-nonce' } });
    expect(told).toMatchObject({
      level: 'warn',
      msg: 'sign_in_failed',
      reason: expect.stringMatching(/unexpected ID Token "nonce" claim value/),
    });
    expect(JSON.stringify(told)).not.toContain('another-nonce');
    expect(await countOf('sign_in_failed')).toBe(before + 1);
  });

  test('the audit log tells of each person that was refused by their subject', async () => {
    const claims = { groups: ['nobody'] };
    const flawOf = (sub: string) => ({ claims: { ...claims, sub }, info: { sub } });
    for (const sub of ['bert', 'carl', 'bert']) {
      await refusedWith('sign_in_not_granted', flawOf(sub));
    }
    await server.stop();
    const { stdout } = await runCli(database.env, 'audit', 'list', '--limit', '20', '-o', 'ndjson');
    const refusals = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { action: string; details: Record<string, unknown> })
      .filter(({ action, details }) => action === 'authorization.refuse' && 'subject' in details);
    const counts = Object.fromEntries(
      refusals.map(({ details }) => [details['subject'], details['count']]),
    );
    expect(counts).toEqual({
      [`${provider.issuer}#anna`]: 1,
      [`${provider.issuer}#bert`]: 2,
      [`${provider.issuer}#carl`]: 1,
    });
  });
});
