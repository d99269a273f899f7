import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { startTestService, withService } from '../support/test-service.ts';

const LIMIT = 5;
const look = { user_group_id: 'g' };
const buckets = withFrozenBuckets();

onEachDatabase((kind) => {
  const service = withService(kind, {
    AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: String(LIMIT),
    TRUST_PROXY: '1',
  });
  let address = 0;

  beforeAll(async () => {
    await service.api.put({ user_group_id: 'g', name: 'G' });
  });

  /** Each test has an address of its own. */
  const freshAddress = () => `203.0.113.${++address}`;

  function guess(from: string, authorization = `Token ${generateToken('uga')}`): Promise<Answer> {
    return service
      .clientOf(undefined)
      .get(look, { Authorization: authorization, 'X-Forwarded-For': from });
  }

  async function useUp(from: string): Promise<void> {
    for (let i = 0; i < LIMIT; i++) expect((await guess(from)).status).toBe(401);
  }

  test('wrong tokens get 401 up to the limit, then 429, and each answer tells what is left', async () => {
    const from = freshAddress();
    for (let left = LIMIT - 1; left >= 0; left--) {
      const answer = await guess(from);
      expect([answer.status, answer.body.code]).toEqual([401, 'api_token_invalid']);
      expect(answer.headers).toMatchObject({
        'www-authenticate': expect.stringMatching(/^Token /),
        'ratelimit-policy': `"failed-authentication";q=${LIMIT};w=60`,
        ratelimit: expect.stringMatching(`^"failed-authentication";r=${left};t=\\d+$`),
      });
    }
    expectLimited(await guess(from));
    // Another attempt for each interval, and no more.
    buckets.pass(60_000 / LIMIT);
    expect((await guess(from)).status).toBe(401);
    expectLimited(await guess(from));
  });

  test('a right token from an address it may not be used from counts, and works from its own', async () => {
    const [from, allowed] = [freshAddress(), freshAddress()];
    const issued = await service.api.call('POST', '/api/v1/api-tokens', {
      name: 'bound',
      scopes: ['user-groups:read', 'user-group-tokens:read'],
      allowed_cidrs: [allowed],
    });
    const bound = `Token ${issued.body.api_token.token}`;
    for (let i = 0; i < LIMIT; i++) {
      expect((await guess(from, bound)).body.code).toBe('address_not_allowed');
    }
    expectLimited(await guess(from, bound));
    expect((await guess(allowed, bound)).status).toBe(200);
  });

  test('every way to be wrong counts: unknown, mistyped, revoked, another scheme, a token of another kind', async () => {
    const from = freshAddress();
    const revoked = await service.issueToken(['user-groups:read']);
    await service.revokeToken(revoked);
    for (const authorization of [
      `Token ${generateToken('uga')}`,
      'Token uga_mistyped',
      `Token ${revoked}`,
      'Basic YTpi',
      `Token ${generateToken('ugt')}`,
    ]) {
      expect([authorization, (await guess(from, authorization)).status]).toEqual([
        authorization,
        401,
      ]);
    }
    expectLimited(await guess(from));
  });

  test('a right token passes whatever others sent from its address, also at the same time', async () => {
    const from = freshAddress();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const wrong = guess(from);
        const right = service.api.get(look, { 'X-Forwarded-For': from });
        return { wrong: await wrong, right: await right };
      }),
    );
    expect(answers.map(({ right }) => right.status)).toEqual(Array(20).fill(200));
    const wrong = answers.map((answer) => answer.wrong.status);
    expect(wrong.filter((status) => status === 401)).toHaveLength(LIMIT);
    expect(wrong.filter((status) => status === 429)).toHaveLength(20 - LIMIT);
    const after = await service.api.get(look, { 'X-Forwarded-For': from });
    expect(after.status).toBe(200);
    expect(after.headers).not.toHaveProperty('ratelimit');
  });

  test('another address has its own count', async () => {
    const from = freshAddress();
    await useUp(from);
    expectLimited(await guess(from));
    expect((await guess(freshAddress())).status).toBe(401);
  });

  test('addresses of one IPv6 block of 64 bits share a count, the next block does not', async () => {
    const inBlock = [
      '2001:db8:1:2::1',
      '2001:0DB8:0001:0002:0003::',
      '2001:db8:1:2:ffff:ffff:ffff:ffff',
      '2001:db8:1:2::198.51.100.7',
      '2001:db8:1:2:0:5:6:7',
    ];
    for (const from of inBlock) expect([from, (await guess(from)).status]).toEqual([from, 401]);
    expectLimited(await guess('2001:db8:1:2::ffff'));
    expect((await guess('2001:db8:1:3::1')).status).toBe(401);
    expect((await guess('2001:db8::1:2:0:0:1')).status).toBe(401);
  });

  test('an IPv4 address is the same on an IPv6 socket', async () => {
    const from = freshAddress();
    await useUp(`::ffff:${from}`);
    expectLimited(await guess(from));
    expect((await guess(`::ffff:${freshAddress()}`)).status).toBe(401);
  });

  test('an address counts alike with a port, in brackets and with a zone', async () => {
    const from = freshAddress();
    const spellings = [from, `${from}:61598`, `${from}:1`, `::ffff:cb00:71${hex(from)}`];
    for (const spelling of [...spellings, `[::ffff:${from}]:443`]) {
      expect([spelling, (await guess(spelling)).status]).toEqual([spelling, 401]);
    }
    expectLimited(await guess(`${from}:50123`));
    const inBlock = ['2001:db8:9::1', '[2001:db8:9::1]', '[2001:db8:9::2]:443'];
    for (const spelling of [...inBlock, '2001:db8:9::3%eth0', '[2001:db8:9::3%25eth0]:443']) {
      expect([spelling, (await guess(spelling)).status]).toEqual([spelling, 401]);
    }
    expectLimited(await guess('[2001:db8:9::4]:50123'));
  });

  test('a client whose address is unknown locks out no other', async () => {
    for (let i = 0; i < 2 * LIMIT; i++) {
      for (const from of ['unknown', `name ${i}`]) {
        const answer = await guess(from);
        expect([answer.status, answer.body.code]).toEqual([401, 'api_token_invalid']);
        expect(answer.headers).not.toHaveProperty('ratelimit');
      }
    }
  });

  test('a missing header is no guess', async () => {
    const from = freshAddress();
    for (let i = 0; i < LIMIT + 2; i++) {
      const answer = await service.clientOf(undefined).get(look, { 'X-Forwarded-For': from });
      expect([answer.status, answer.body.code]).toEqual([401, 'credentials_missing']);
      expect(answer.headers).not.toHaveProperty('ratelimit');
    }
    expect((await guess(from)).headers['ratelimit']).toContain(`;r=${LIMIT - 1};`);
  });
});

test('0 switches the limit off', async () => {
  const service = await startTestService('sqlite', {
    AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '0',
  });
  const client = service.clientOf(generateToken('uga'));
  const answers = await Promise.all(Array.from({ length: 100 }, () => client.get(look)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(answers[0]!.headers).not.toHaveProperty('ratelimit');
  await service.close();
});

/** The last byte of an IPv4 address. */
function hex(address: string): string {
  return Number(address.split('.')[3]).toString(16).padStart(2, '0');
}

function expectLimited({ status, headers, body }: Answer): void {
  expect([status, body.success, body.code]).toEqual([429, 0, 'rate_limited']);
  expect(body.detail).toMatch(/^Too many failed authentications from this address/);
  expect(headers).toMatchObject({
    'ratelimit-policy': `"failed-authentication";q=${LIMIT};w=60`,
    ratelimit: expect.stringMatching(/^"failed-authentication";r=0;t=\d+$/),
  });
  expect(headers).not.toHaveProperty('www-authenticate');
  expect(headers['retry-after']).toBe(String(60 / LIMIT));
}
