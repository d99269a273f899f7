import type { Scope } from '../../src/platform/common/access/caller.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { passTime } from '../support/time/fake-time.ts';
import { lastAskedBefore } from '../support/time/until.ts';

const PATH = '/api/v1/api-tokens';
/** A group that is not there, which every reader may look for. */
const GROUP = '/api/v1/user-groups/none';

onEachDatabase((kind) => {
  const service = withService(kind, { TRUST_PROXY: '1' });
  let api: ApiClient;
  let name = 0;

  // A workspace of its own for each test, with one token of every scope.
  beforeEach(async () => {
    const token = await service.issueToken(
      [
        'user-groups:read',
        'user-groups:write',
        'tokens:rotate',
        'tokens:introspect',
        'tokens:inspect',
        'embed-tokens:issue',
        'audit:read',
        'events:read',
        'admin',
      ],
      `workspace ${++name}`,
    );
    api = service.clientOf(token);
  });

  const issue = async (body: object = {}, by = api) => {
    const given = { name: 'host', scopes: ['user-groups:read'], ...body };
    return by.call('POST', PATH, given);
  };
  const issued = async (body: object = {}) => (await issue(body)).body.api_token;
  /** Whether the first use of the token is stored, which happens behind the call. */
  const isKnownUsed = async (id: number) =>
    (await api.call('GET', `${PATH}/${id}`)).body.api_token.last_used_at !== null;
  const looksUp = async (token: string, headers: Record<string, string> = {}) =>
    (await service.clientOf(token).call('GET', GROUP, undefined, headers)).status;

  test('a token is issued, shown once, and works at once', async () => {
    const answer = await issue({ expires_at: '2099-01-01T00:00:00Z', allowed_cidrs: null });
    expect([answer.status, answer.headers['location']]).toEqual([
      201,
      `${PATH}/${answer.body.api_token.id}`,
    ]);
    const { token, ...view } = answer.body.api_token;
    expect(token).toMatch(/^uga_[0-9A-Za-z]{38}$/);
    expect(view).toEqual({
      id: expect.any(Number),
      name: 'host',
      last_four: token.slice(-4),
      state: 'active',
      scopes: ['user-groups:read'],
      allowed_cidrs: null,
      user_groups: null,
      created_at: expect.stringMatching(/Z$/),
      expires_at: '2099-01-01T00:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
      superseded_by_id: null,
      subject: null,
    });
    const read = await api.call('GET', `${PATH}/${view.id}`);
    expect([read.status, read.body.api_token]).toEqual([200, view]);
    const list = await api.call('GET', PATH);
    expect(list.body.api_tokens.at(-1)).toEqual(view);
    // Its first use is stored a moment later.
    expect(await looksUp(token)).toBe(404);
    expect(read.text + list.text).not.toContain(token.slice(4, -4));
  });

  test('the first use of a token is written down at once', async () => {
    const { id, token } = await issued();
    await looksUp(token);
    await within(5, () => isKnownUsed(id));
  });

  test('how many tokens others issue does not show in one’s own ids', async () => {
    const first = (await issued()).id;
    expect(first).toBeGreaterThanOrEqual(100_000_000);
    expect(first).toBeLessThan(1_000_000_000);
    for (let count = 0; count < 110; count++) {
      await service.issueToken(['audit:read'], 'busy neighbour');
    }
    const { id: second } = await issued();
    expect(second - first).toBeGreaterThan(0);
    expect(second - first).toBeLessThanOrEqual(100);
  });

  test('the list comes in pages that leave nothing out', async () => {
    for (let count = 0; count < 4; count++) await issue({ name: `n${count}` });
    const names: string[] = [];
    let cursor = '';
    do {
      const { body } = await api.call('GET', `${PATH}?limit=2${cursor}`);
      expect(body.api_tokens.length).toBeLessThanOrEqual(2);
      names.push(...body.api_tokens.map((token) => token.name));
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : '';
    } while (cursor);
    expect(names).toEqual(['test', 'n0', 'n1', 'n2', 'n3']);
  });

  test('what is sent is changed, what is not stays', async () => {
    const { id, token } = await issued();
    const scopes = ['user-groups:read', 'tokens:rotate'];
    const changed = await api.call('PATCH', `${PATH}/${id}`, { scopes, name: 'renamed' });
    expect([changed.status, changed.body.api_token]).toEqual([
      200,
      expect.objectContaining({ id, name: 'renamed', scopes, state: 'active' }),
    ]);
    await within(1, async () => {
      const { status } = await service.clientOf(token).post({ current_token: 'x' });
      return status === 404;
    });
    const narrowed = await api.call('PATCH', `${PATH}/${id}`, { scopes: ['audit:read'] });
    expect(narrowed.body.api_token.name).toBe('renamed');
    await within(1, async () => (await looksUp(token)) === 403);
  });

  test('rotating without a grace period ends the old token', async () => {
    const old = await issued();
    const answer = await api.call('POST', `${PATH}/${old.id}/rotate`, {});
    expect(answer.status).toBe(201);
    const { api_token: next } = answer.body;
    expect(next).toMatchObject({ name: old.name, scopes: old.scopes, superseded_by_id: null });
    expect(await looksUp(next.token)).toBe(404);
    await within(1, async () => (await looksUp(old.token)) === 401);
    const read = await api.call('GET', `${PATH}/${old.id}`);
    expect(read.body.api_token).toMatchObject({ state: 'revoked', superseded_by_id: next.id });
  });

  test('with a grace period both work, until it is over or the new one is rotated', async () => {
    const first = await issued();
    const rotate = (id: number, grace_period_seconds: number) =>
      api.call('POST', `${PATH}/${id}/rotate`, { grace_period_seconds });
    const second = (await rotate(first.id, 3600)).body.api_token;
    expect([await looksUp(first.token), await looksUp(second.token)]).toEqual([404, 404]);
    const overlapping = (await api.call('GET', `${PATH}/${first.id}`)).body.api_token;
    expect(overlapping.state).toBe('superseded');
    const life = Date.parse(overlapping.expires_at!) - Date.now();
    expect(life).toBeGreaterThan(3500_000);
    expect(life).toBeLessThanOrEqual(3600_000);
    // A superseded token is never rotated or changed, so its life is never extended.
    expect((await rotate(first.id, 60)).body.code).toBe('api_token_ended');
    const patch = await api.call('PATCH', `${PATH}/${first.id}`, { expires_at: null });
    expect([patch.status, patch.body.code]).toEqual([409, 'api_token_ended']);
    const third = (await rotate(second.id, 1)).body.api_token;
    await within(1, async () => (await looksUp(first.token)) === 401);
    expect(await looksUp(third.token)).toBe(404);
    await within(3, async () => (await looksUp(second.token)) === 401);
  });

  test('in its overlap a token still opens what it did, and administers no token', async () => {
    const old = await issued({ scopes: ['admin', 'user-groups:read'] });
    const other = await issued();
    const rotated = await api.call('POST', `${PATH}/${old.id}/rotate`, {
      grace_period_seconds: 3600,
    });
    const { api_token: next } = rotated.body;
    const superseded = service.clientOf(old.token);
    for (const [method, path, body] of [
      ['POST', PATH, { name: 'host', scopes: ['user-groups:read'] }],
      ['PATCH', `${PATH}/${other.id}`, { name: 'other' }],
      ['POST', `${PATH}/${next.id}/rotate`, {}],
      ['POST', `${PATH}/${next.id}/revoke`, undefined],
      ['POST', `${PATH}/${other.id}/revoke`, undefined],
      ['POST', `${PATH}/${old.id}/revoke`, undefined],
    ] as const) {
      const answer = await superseded.call(method, path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'api_token_superseded']);
    }
    expect((await superseded.call('GET', PATH)).status).toBe(200);
    expect([await looksUp(old.token), await looksUp(next.token)]).toEqual([404, 404]);
    const successor = service.clientOf(next.token);
    expect((await successor.call('POST', `${PATH}/${old.id}/revoke`)).status).toBe(200);
  });

  test('a rotation leaves alone what had ended before: when, and how', async () => {
    const rotate = async (id: number) =>
      (await api.call('POST', `${PATH}/${id}/rotate`, { grace_period_seconds: 1 })).body.api_token;
    const revoked = await issued();
    const next = await rotate(revoked.id);
    await api.call('POST', `${PATH}/${revoked.id}/revoke`);
    const expired = await issued();
    const successor = await rotate(expired.id);
    const read = async (id: number) => (await api.call('GET', `${PATH}/${id}`)).body.api_token;
    await within(3, async () => (await read(expired.id)).state === 'expired');
    const before = [await read(revoked.id), await read(expired.id)];
    await Promise.all([rotate(next.id), rotate(successor.id)]);
    expect([await read(revoked.id), await read(expired.id)]).toEqual(before);
  });

  test('an overlap never outlives the expiry of the token', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const { id } = await issued({ expires_at: soon });
    const rotated = await api.call('POST', `${PATH}/${id}/rotate`, { grace_period_seconds: 3600 });
    expect(rotated.body.api_token.expires_at).toBe(soon);
    expect((await api.call('GET', `${PATH}/${id}`)).body.api_token.expires_at).toBe(soon);
  });

  test('a revoked token is refused within a second, and revoking again changes nothing', async () => {
    const { id, token } = await issued();
    expect(await looksUp(token)).toBe(404);
    await within(5, () => isKnownUsed(id));
    const revoked = await api.call('POST', `${PATH}/${id}/revoke`);
    expect([revoked.status, revoked.body.api_token.state]).toEqual([200, 'revoked']);
    await within(1, async () => (await looksUp(token)) === 401);
    const again = await api.call('POST', `${PATH}/${id}/revoke`);
    expect(again.body).toEqual(revoked.body);
    for (const action of ['rotate', '']) {
      const method = action ? 'POST' : 'PATCH';
      const answer = await api.call(method, `${PATH}/${id}${action && `/${action}`}`, {});
      expect([answer.status, answer.body.code]).toEqual([409, 'api_token_ended']);
    }
  });

  describe('nobody can grant what they do not hold', () => {
    const limited = async (settings: object) =>
      service.clientOf(
        (await issued({ scopes: ['admin', 'user-groups:read'], ...settings })).token,
      );

    test('no scope', async () => {
      const caller = await limited({});
      expect((await issue({ scopes: ['user-groups:read'] }, caller)).status).toBe(201);
      const refused = await issue({ scopes: ['user-groups:read', 'tokens:rotate'] }, caller);
      expect([refused.status, refused.body.code]).toEqual([403, 'grant_exceeds_caller']);
      expect(refused.body.detail).toContain('"tokens:rotate"');
      const { id } = await issued();
      const patch = await caller.call('PATCH', `${PATH}/${id}`, { scopes: ['tokens:rotate'] });
      expect(patch.body.code).toBe('grant_exceeds_caller');
    });

    test('no scope by rotating a token that has it, whose successor the answer would show', async () => {
      const caller = await limited({});
      const { id } = await issued({ scopes: ['tokens:rotate'] });
      const rotation = await caller.call('POST', `${PATH}/${id}/rotate`, {});
      expect([rotation.status, rotation.body.code]).toEqual([403, 'grant_exceeds_caller']);
    });

    // Each row pairs a limit of the caller with a change that goes beyond it: the resulting token is judged as a
    // whole.
    const soon = () => new Date(Date.now() + 3_600_000).toISOString();
    const near = ['127.0.0.0/8'];
    test.each<[string, object, object, object]>([
      ['scopes of an everlasting token', { expires_at: soon() }, {}, { scopes: ['admin'] }],
      ['scopes of a token from anywhere', { allowed_cidrs: near }, {}, { scopes: ['admin'] }],
      [
        'the life of scopes it does not hold',
        {},
        { scopes: ['audit:read'], expires_at: soon() },
        { expires_at: null },
      ],
      [
        'the addresses of scopes it does not hold',
        {},
        { scopes: ['audit:read'], allowed_cidrs: near },
        { allowed_cidrs: null },
      ],
      [
        'the life of a token from anywhere',
        { allowed_cidrs: near },
        { expires_at: soon() },
        { expires_at: null },
      ],
      [
        'the addresses of an everlasting token',
        { expires_at: soon() },
        { allowed_cidrs: near },
        { allowed_cidrs: ['0.0.0.0/0'] },
      ],
    ])('%s', async (_what, own, token, change) => {
      const caller = await limited(own);
      const { id } = await issued(token);
      const before = (await api.call('GET', `${PATH}/${id}`)).body;
      const answer = await caller.call('PATCH', `${PATH}/${id}`, change);
      expect([answer.status, answer.body.code]).toEqual([403, 'grant_exceeds_caller']);
      expect((await api.call('GET', `${PATH}/${id}`)).body).toEqual(before);
      expect((await api.call('PATCH', `${PATH}/${id}`, change)).status).toBe(200);
    });

    test('what a token already has may stay or be taken away by any administrator', async () => {
      const caller = await limited({});
      const { id } = await issued({ scopes: ['tokens:rotate', 'user-groups:read'] });
      const renamed = await caller.call('PATCH', `${PATH}/${id}`, { name: 'x' });
      const narrowed = await caller.call('PATCH', `${PATH}/${id}`, { scopes: ['tokens:rotate'] });
      const revoked = await caller.call('POST', `${PATH}/${id}/revoke`);
      expect([renamed.status, narrowed.status, revoked.status]).toEqual([200, 200, 200]);
    });

    test('no longer life', async () => {
      const caller = await limited({ expires_at: '2090-01-01T00:00:00Z' });
      const statuses = [];
      for (const expires_at of [null, '2090-01-01T00:00:01Z', '2090-01-01T00:00:00Z']) {
        statuses.push((await issue({ expires_at }, caller)).status);
      }
      expect([(await issue({}, caller)).status, ...statuses]).toEqual([403, 403, 403, 201]);
      const { id } = await issued({ expires_at: '2030-01-01T00:00:00Z' });
      const extended = await caller.call('PATCH', `${PATH}/${id}`, { expires_at: null });
      expect(extended.body.code).toBe('grant_exceeds_caller');
    });

    test('no other addresses', async () => {
      const caller = await limited({ allowed_cidrs: ['127.0.0.0/8', '2001:db8::/32'] });
      const statusOf = async (allowed_cidrs?: string[] | null) =>
        (await issue({ allowed_cidrs }, caller)).status;
      expect(await statusOf(null)).toBe(403);
      expect(await statusOf(['127.0.0.0/7'])).toBe(403);
      expect(await statusOf(['127.0.0.1', '10.0.0.1'])).toBe(403);
      expect(await statusOf(['::/0'])).toBe(403);
      expect(await statusOf(['::ffff:127.0.0.0/103'])).toBe(403);
      expect(await statusOf(['::ffff:127.0.0.0/104'])).toBe(201);
      expect(await statusOf(['127.0.0.1', '127.5.0.0/16', '2001:db8:1::/48'])).toBe(201);
    });
  });

  describe('the last administrator', () => {
    const own = async () => (await api.call('GET', PATH)).body.api_tokens[0]!.id;

    test('cannot be revoked, and cannot lose the scope', async () => {
      const id = await own();
      const revoked = await api.call('POST', `${PATH}/${id}/revoke`);
      const narrowed = await api.call('PATCH', `${PATH}/${id}`, { scopes: ['audit:read'] });
      for (const { status, body } of [revoked, narrowed]) {
        expect([status, body.code]).toEqual([409, 'last_admin_token']);
      }
    });

    test('cannot be made to expire sooner, unless there is another', async () => {
      const id = await own();
      const expires_at = new Date(Date.now() + 30_000).toISOString();
      const alone = await api.call('PATCH', `${PATH}/${id}`, { expires_at });
      expect([alone.status, alone.body.code]).toEqual([409, 'last_admin_token']);
      await issue({ scopes: ['admin'] });
      expect((await api.call('PATCH', `${PATH}/${id}`, { expires_at })).status).toBe(200);
    });

    test('can be rotated', async () => {
      const rotated = await api.call('POST', `${PATH}/${await own()}/rotate`, {});
      const next = service.clientOf(rotated.body.api_token.token);
      expect((await next.call('GET', PATH)).status).toBe(200);
    });

    test('does not count a token that has ended, is superseded, or is of another workspace', async () => {
      const ended = await issued({ scopes: ['admin'] });
      await api.call('POST', `${PATH}/${ended.id}/revoke`);
      const expired = await issued({
        scopes: ['admin'],
        expires_at: new Date(Date.now() + 60_000).toISOString(),
      });
      const rotated = await issued({ scopes: ['admin'] });
      const path = `${PATH}/${rotated.id}/rotate`;
      const next = (await api.call('POST', path, { grace_period_seconds: 3600 })).body.api_token;
      const id = await own();
      passTime(60_000);
      const { body } = await api.call('GET', `${PATH}/${expired.id}`);
      expect(body.api_token.state).toBe('expired');
      expect((await api.call('POST', `${PATH}/${next.id}/revoke`)).status).toBe(200);
      expect((await api.call('POST', `${PATH}/${id}/revoke`)).body.code).toBe('last_admin_token');
    });

    test('is kept when two administrators revoke each other at once', async () => {
      for (let round = 0; round < 10; round++) {
        const other = await issued({ scopes: ['admin'] });
        const self = await issued({ scopes: ['admin'] });
        await api.call('POST', `${PATH}/${await own()}/rotate`, {});
        const active = (await service.clientOf(self.token).call('GET', PATH)).body.api_tokens
          .filter(({ state, scopes }) => state === 'active' && scopes.includes('admin'))
          .map(({ id }) => id);
        const revocations = await Promise.all(
          active.map((id, index) => {
            const by = service.clientOf(index % 2 ? self.token : other.token);
            return by.call('POST', `${PATH}/${id}/revoke`);
          }),
        );
        expect(revocations.filter(({ status }) => status === 200).length).toBeLessThan(
          active.length,
        );
        const [{ admins }] = (await service.query(
          `SELECT count(*) AS admins FROM api_token WHERE revoked_at IS NULL AND superseded_by IS NULL
             AND scopes LIKE '%admin%' AND workspace_id = (SELECT max(id) FROM workspace)`,
        )) as [{ admins: string }];
        expect(Number(admins)).toBeGreaterThanOrEqual(1);
        api = service.clientOf(await service.issueToken(['admin'], `round ${name} ${round}`));
      }
    });
  });

  describe('allowed addresses', () => {
    const from = (address: string) => ({ 'X-Forwarded-For': address });

    test('a token works from its ranges alone', async () => {
      const allowed_cidrs = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32'];
      const { token } = await issued({ allowed_cidrs });
      for (const address of [
        '203.0.113.9',
        '198.51.100.7',
        '2001:db8:5::1',
        '::ffff:203.0.113.9',
      ]) {
        expect([address, await looksUp(token, from(address))]).toEqual([address, 404]);
      }
      for (const address of [
        '203.0.114.9',
        '198.51.100.8',
        '2001:db9::1',
        '127.0.0.1',
        'nonsense',
      ]) {
        const answer = await service.clientOf(token).call('GET', GROUP, undefined, from(address));
        expect([address, answer.status, answer.body.code]).toEqual([
          address,
          403,
          'address_not_allowed',
        ]);
      }
    });

    test('a range of one family has no address of the other, and a mapped IPv4 address is that address', async () => {
      const [ipv4, ipv6] = ['203.0.113.9', '2001:db8::1'];
      const cases: [string, string[], string[]][] = [
        ['::/0', [ipv6, '::1'], [ipv4, `::ffff:${ipv4}`, '::ffff:cb00:7109']],
        ['0.0.0.0/0', [ipv4, `::ffff:${ipv4}`, '::ffff:cb00:7109'], [ipv6, '::1']],
        ['::ffff:203.0.113.0/120', [ipv4, '::ffff:cb00:7109'], [ipv6, '203.0.114.9']],
      ];
      for (const [range, allowed, refused] of cases) {
        const { token } = await issued({ allowed_cidrs: [range] });
        for (const address of allowed) {
          expect([range, address, await looksUp(token, from(address))]).toEqual([
            range,
            address,
            404,
          ]);
        }
        for (const address of refused) {
          expect([range, address, await looksUp(token, from(address))]).toEqual([
            range,
            address,
            403,
          ]);
        }
      }
    });

    test('a range with a leading zero that was stored before it was refused still holds', async () => {
      const { id, token } = await issued({ allowed_cidrs: ['203.0.113.0/24'] });
      await changeDatabase(
        service.database,
        `UPDATE api_token SET allowed_cidrs = '203.0.113.0/024' WHERE id = ${id}`,
      );
      await within(2, async () => {
        const { body } = await api.call('GET', `${PATH}/${id}`);
        return body.api_token.allowed_cidrs?.[0] === '203.0.113.0/024';
      });
      expect(await looksUp(token, from('203.0.113.9'))).toBe(404);
      expect(await looksUp(token, from('203.0.114.9'))).toBe(403);
    });

    test('what a client writes before its proxy does is not trusted', async () => {
      const { token } = await issued({ allowed_cidrs: ['203.0.113.0/24'] });
      expect(await looksUp(token, from('203.0.113.9, 192.0.2.1'))).toBe(403);
      expect(await looksUp(token, from('192.0.2.1, 203.0.113.9'))).toBe(404);
    });
  });

  test.each([
    ['no name', { name: undefined }, '/name', 'required'],
    ['an empty name', { name: '' }, '/name', 'empty'],
    ['a control character in the name', { name: 'a\u001b[2J' }, '/name', 'control_character'],
    ['a misspelt limit', { cidrs: ['10.0.0.0/8'] }, '/cidrs', 'unknown'],
    ['no scopes', { scopes: undefined }, '/scopes', 'required'],
    ['no scope', { scopes: [] }, '/scopes', 'empty'],
    ['a text of scopes', { scopes: 'admin' }, '/scopes', 'type'],
    ['an unknown scope', { scopes: ['admin', 'root'] }, '/scopes/1', 'not_acceptable'],
    ['a scope twice', { scopes: ['admin', 'admin'] }, '/scopes/1', 'repeated'],
    ['two scopes in one', { scopes: ['admin user-groups:read'] }, '/scopes/0', 'not_acceptable'],
    [
      'an expiry in the past',
      { expires_at: '2001-01-01T00:00:00Z' },
      '/expires_at',
      'not_acceptable',
    ],
    [
      'an expiry without a zone',
      { expires_at: '2099-01-01T00:00:00' },
      '/expires_at',
      'not_acceptable',
    ],
    ['a day that is none', { expires_at: '2099-02-31T25:00:00Z' }, '/expires_at', 'not_acceptable'],
    [
      'the 31st of February',
      { expires_at: '2030-02-31T00:00:00Z' },
      '/expires_at',
      'not_acceptable',
    ],
    ['hour 24', { expires_at: '2030-01-01T24:00:00Z' }, '/expires_at', 'not_acceptable'],
    [
      'a moment of the year 10000',
      { expires_at: '9999-12-31T23:59:59-23:59' },
      '/expires_at',
      'not_acceptable',
    ],
    ['an expiry as a number', { expires_at: 4_000_000_000 }, '/expires_at', 'type'],
    ['no range', { allowed_cidrs: [] }, '/allowed_cidrs', 'empty'],
    ['a text of ranges', { allowed_cidrs: '10.0.0.0/8' }, '/allowed_cidrs', 'type'],
    [
      'a range that is none',
      { allowed_cidrs: ['::/0', '10.0.0/8'] },
      '/allowed_cidrs/1',
      'not_acceptable',
    ],
    ['too long a prefix', { allowed_cidrs: ['10.0.0.0/33'] }, '/allowed_cidrs/0', 'not_acceptable'],
    [
      'a prefix with a leading zero',
      { allowed_cidrs: ['10.0.0.0/8', '10.0.0.0/08'] },
      '/allowed_cidrs/1',
      'not_acceptable',
    ],
    ['a prefix of two zeros', { allowed_cidrs: ['::/00'] }, '/allowed_cidrs/0', 'not_acceptable'],
    [
      'two ranges in one',
      { allowed_cidrs: ['10.0.0.1 ::1'] },
      '/allowed_cidrs/0',
      'not_acceptable',
    ],
    ['too many ranges', { allowed_cidrs: Array(51).fill('::1') }, '/allowed_cidrs', 'too_many'],
  ])('%s is refused', async (_name, change, pointer, code) => {
    const answer = await issue(change);
    expect([answer.status, answer.body.errors[0]]).toEqual([
      422,
      { pointer, code, detail: expect.any(String) },
    ]);
    expect((await api.call('GET', PATH)).body.api_tokens).toHaveLength(1);
  });

  test.each([-1, 86_401, 1.5, '60', null, true])(
    'a grace period of %j is refused',
    async (grace) => {
      const { id } = await issued();
      const answer = await api.call('POST', `${PATH}/${id}/rotate`, {
        grace_period_seconds: grace,
      });
      expect([answer.status, answer.body.errors[0]!.pointer]).toEqual([
        422,
        '/grace_period_seconds',
      ]);
      expect((await api.call('GET', `${PATH}/${id}`)).body.api_token.state).toBe('active');
    },
  );

  test.each(['0', '-1', '1e3', 'x', '99999999999999999999', '%00', '1%20OR%201', 'ugt_x'])(
    'the id %s is not found, like one that is not there',
    async (id) => {
      const absent = await api.call('GET', `${PATH}/999999999`);
      const answer = await api.call('GET', `${PATH}/${id}`);
      expect([answer.status, answer.body.code]).toEqual([404, 'api_token_not_found']);
      expect(answer.body.detail).toBe(absent.body.detail);
    },
  );

  test.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1&limit=2',
    'cursor=x',
    'limt=2',
    'cursor=WzEsMl0',
  ])('the query %s is refused', async (query) => {
    const answer = await api.call('GET', `${PATH}?${query}`);
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
  });

  test('a cursor beyond every number is the end of the list', async () => {
    const cursor = Buffer.from(`[${Number.MAX_SAFE_INTEGER}]`).toString('base64url');
    const { status, body } = await api.call('GET', `${PATH}?cursor=${cursor}`);
    expect([status, body.api_tokens]).toEqual([200, []]);
  });

  test('other methods of a path are refused with those it has', async () => {
    const answers = await Promise.all([
      api.call('DELETE', PATH),
      api.call('OPTIONS', PATH),
      api.call('PUT', `${PATH}/1`),
      api.call('GET', `${PATH}/1/revoke`),
    ]);
    expect(answers.map(({ status, headers }) => [status, headers['allow']])).toEqual([
      [405, 'GET, HEAD, POST'],
      [405, 'GET, HEAD, POST'],
      [405, 'GET, HEAD, PATCH'],
      [405, 'POST'],
    ]);
  });

  test('the standard scheme is accepted here, and on the contract’s path it is not', async () => {
    const { token } = await issued({ scopes: ['admin'] });
    const bearer = { Authorization: `Bearer ${token}` };
    const anyone = service.clientOf(undefined);
    expect((await anyone.call('GET', PATH, undefined, bearer)).status).toBe(200);
    const contract = await anyone.get({ user_group_id: 'g' }, bearer);
    expect([contract.status, contract.body.code]).toEqual([401, 'credentials_malformed']);
  });

  test('a token that has just been revoked cannot issue another while it is still cached', async () => {
    const { id, token } = await issued({ scopes: ['admin'] });
    const caller = service.clientOf(token);
    expect((await caller.call('GET', PATH)).status).toBe(200);
    await api.call('POST', `${PATH}/${id}/revoke`);
    const attempt = await issue({ scopes: ['admin'] as Scope[] }, caller);
    expect([attempt.status, attempt.body.code]).toEqual([401, 'api_token_invalid']);
  });

  test('nor can one whose address is no longer allowed', async () => {
    const { id, token } = await issued({ scopes: ['admin'] });
    const caller = service.clientOf(token);
    expect((await caller.call('GET', PATH)).status).toBe(200);
    await api.call('PATCH', `${PATH}/${id}`, { allowed_cidrs: ['192.0.2.7'] });
    const attempt = await issue({ scopes: ['admin'] }, caller);
    expect([attempt.status, attempt.body.code]).toEqual([403, 'address_not_allowed']);
  });

  test('nor can one that has just lost the scope to do so', async () => {
    const { id, token } = await issued({ scopes: ['admin', 'audit:read'] });
    const caller = service.clientOf(token);
    expect((await caller.call('GET', PATH)).status).toBe(200);
    await api.call('PATCH', `${PATH}/${id}`, { scopes: ['audit:read'] });
    const attempt = await issue({ scopes: ['audit:read'] }, caller);
    expect([attempt.status, attempt.body.code]).toEqual([403, 'insufficient_scope']);
  });
});

async function within(seconds: number, isTrue: () => Promise<boolean>): Promise<void> {
  const begunAt = performance.now();
  expect((await lastAskedBefore(isTrue)) - begunAt).toBeLessThan(seconds * 1000);
}
