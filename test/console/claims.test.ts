import { freePort } from '../system/lab/ports.mjs';
import type { ConsoleBody } from '../support/console/console.ts';
import { ForgingProvider } from '../support/servers/forging-provider.ts';
import type { Visitor } from '../support/servers/identity-provider.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

// Grants by claims do not depend on the database.
const DEFAULT = { workspace: 'default', scopes: ['user-groups:read'] };
const GRANTS = [
  { claim: 'groups', value: '/operators', ...DEFAULT },
  { claim: 'groups', prefix: 'ops-', ...DEFAULT },
  { claim: 'realm_access.roles', value: 'operator', ...DEFAULT },
  { claim: ['resource_access', 'my.client', 'roles'], value: 'operator', ...DEFAULT },
  { claim: ['https://a.example/roles'], value: 'operator', ...DEFAULT },
];

async function startService(provider: ForgingProvider, issuer: string): Promise<TestService> {
  const port = await freePort();
  return startTestService('sqlite', {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: 'console',
    CONSOLE_OIDC_GRANTS: JSON.stringify(GRANTS),
  });
}

describe('grants', () => {
  let provider: ForgingProvider;
  let service: TestService;

  beforeAll(async () => {
    provider = await ForgingProvider.start();
    service = await startService(provider, provider.issuer);
  });

  afterAll(async () => {
    await service.close();
    provider.stop();
  });

  const signInWith = async (claims: Record<string, unknown>) =>
    (await provider.signIn(service.baseUrl, { claims: { groups: undefined, ...claims } })).place;

  test.each<Record<string, unknown>>([
    { groups: '/operators' },
    { groups: ['others', '/operators'] },
    { groups: ['ops-emea'] },
    { realm_access: { roles: ['viewer', 'operator'] } },
    { resource_access: { 'my.client': { roles: 'operator' } } },
    { 'https://a.example/roles': ['operator'] },
  ])('fit %j', async (claims) => {
    expect(await signInWith(claims)).toBe('../../');
  });

  test.each<Record<string, unknown>>([
    { groups: '/operators/emea' },
    { groups: 'dev-ops-' },
    { groups: 'OPS-emea' },
    { groups: [['ops-emea']] },
    { groups: { 0: 'ops-emea' } },
    { 'realm_access.roles': ['operator'] },
    { realm_access: [{ roles: ['operator'] }] },
    { realm_access: { roles: { operator: true } } },
    { realm_access: 'operator' },
    { resource_access: { my: { client: { roles: 'operator' } } } },
  ])('fit no %j', async (claims) => {
    expect(await signInWith(claims)).toContain('error=sign_in_not_granted');
  });
});

describe('the issuer', () => {
  test.each(['', '/realms/ops', '/application/o/x/', '/a//b/'])(
    '…%s is compared character by character',
    async (path) => {
      const provider = await ForgingProvider.start(path);
      const service = await startService(provider, provider.issuer);
      const flaw = { claims: { groups: ['/operators'] } };
      const { place, visitor } = await provider.signIn(service.baseUrl, flaw);
      expect(place).toBe('../../');
      expect(await subjectOf(visitor, service)).toBe(`${provider.issuer}#anna`);
      await service.close();
      const other = path.endsWith('/') ? provider.issuer.slice(0, -1) : `${provider.issuer}/`;
      const unlike = await startService(provider, path === '' ? `${other}x` : other);
      const { place: refused } = await provider.signIn(unlike.baseUrl, flaw);
      expect(refused).toContain('error=identity_provider_unavailable');
      await unlike.close();
      provider.stop();
    },
  );
});

async function subjectOf(visitor: Visitor, { baseUrl }: TestService): Promise<unknown> {
  const { body } = { body: await (await visitor.call(`${baseUrl}/console/session`)).json() } as {
    body: ConsoleBody;
  };
  return body.session.subject;
}
