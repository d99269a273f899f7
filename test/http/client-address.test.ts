import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';

withFrozenBuckets();

const LIMIT = 2;
const CLIENT = '203.0.113.9';

onEachDatabase((kind) => {
  const service = withService(kind, {
    PUBLIC_URL: 'https://user-groups.example.com',
    TRUST_PROXY: 'loopback,10.0.0.0/8',
    AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: String(LIMIT),
  });

  const signIn = (apiToken: string, from: string) =>
    service
      .clientOf(undefined)
      .call(
        'POST',
        '/console/session',
        { api_token: apiToken },
        { 'Sec-Fetch-Site': 'same-origin', 'X-Forwarded-For': from },
      );

  async function tokenOf(address: string): Promise<string> {
    const fields = { name: 'bound', scopes: ['user-groups:read'], allowed_cidrs: [address] };
    const issued = await service.api.call('POST', '/api/v1/api-tokens', fields);
    return issued.body.api_token.token;
  }

  test('a thousand fields before it do not hide it', async () => {
    const filler = Array.from({ length: 2000 }, () => ['a', '']).flat();
    const headers = [
      'Host',
      'x',
      'Authorization',
      `Token ${await tokenOf('127.0.0.1/32')}`,
      ...filler,
    ];
    const outgoing = request(`${service.baseUrl}/api/v1/user-groups`, {
      headers: [...headers, 'X-Forwarded-For', CLIENT],
    });
    const [answer] = (await once(outgoing.end(), 'response')) as [IncomingMessage];
    expect([answer.statusCode, await json(answer)]).toMatchObject([
      403,
      { code: 'address_not_allowed' },
    ]);
  });

  test.each([
    ['203.0.113.9:61598', CLIENT],
    ['203.0.113.9:61598, 10.0.0.5:4444', CLIENT],
    ['192.0.2.1, 203.0.113.9:61598,10.0.0.5:4444 , 10.0.0.6', CLIENT],
    ['[::ffff:203.0.113.9]:443', CLIENT],
    ['::ffff:cb00:7109', CLIENT],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1], [::1]:80', '2001:db8::1'],
    ['2001:db8::1%eth0', '2001:db8::1'],
    ['[2001:db8::1%25eth0]:443', '2001:db8::1'],
  ])('%s is the client %s: to an API token, a session and the audit log', async (from, address) => {
    const { status, headers } = await signIn(await tokenOf(address), from);
    expect(status).toBe(200);
    const [cookie] = String(headers['set-cookie']).split(';');
    const listed = await service
      .clientOf(undefined)
      .call('GET', '/console/sessions', undefined, { Cookie: cookie!, 'X-Forwarded-For': from });
    expect(JSON.parse(listed.text)).toMatchObject({ sessions: [{ address }] });
    const { body } = await service.api.call('GET', '/api/v1/audit-events?limit=1');
    expect(body.audit_events[0]).toMatchObject({
      action: 'console_session.begin',
      actor: { address },
    });
  });

  test('wrong tokens from one port lock out the address, and from no readable address nobody', async () => {
    const guess = async (from: string) => (await signIn(generateToken('uga'), from)).status;
    for (let port = 1; port <= LIMIT; port++) expect(await guess(`198.51.100.7:${port}`)).toBe(401);
    expect(await guess('198.51.100.7:443')).toBe(429);
    expect(await guess('198.51.100.8:443')).toBe(401);
    for (let count = 0; count <= LIMIT; count++) expect(await guess('unknown')).toBe(401);
  });
});
