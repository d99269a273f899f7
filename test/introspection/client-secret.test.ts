import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';

withFrozenBuckets();

const PATH = '/api/v1/introspect';
const FORM = 'application/x-www-form-urlencoded';
/** A token that an operator chose, with every character that has to be encoded. */
const OWN_FORM = 'Own/form+of=a:token&with%everything~';
const TOKEN_CHALLENGE = 'Token realm="user groups"';
const BOTH_CHALLENGES = `${TOKEN_CHALLENGE}, Bearer realm="user groups", Basic realm="user groups", charset="UTF-8"`;

const base64 = (text: string) => Buffer.from(text).toString('base64');
/** The header that RFC 6749, section 2.3.1, wants. */
const basic = (secret: string, id = 'renderer') =>
  `Basic ${base64(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;

onEachDatabase((kind) => {
  const service = withService(kind, {
    BOOTSTRAP_API_TOKEN: OWN_FORM,
    AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '3',
    TRUST_PROXY: '1',
  });
  let secret: string;
  let token: string;

  beforeAll(async () => {
    secret = await service.issueToken(['tokens:introspect']);
    const own = service.clientOf(OWN_FORM);
    token = (await own.put({ user_group_id: 'acme', name: 'Acme' })).body.user_group.token;
  });

  let lastAddress = 0;
  /** Introspects with only these headers and fields of a form. Each call comes from an address of its own. */
  function introspect(
    headers: Record<string, string>,
    fields: Record<string, string> | string = {},
    from = `203.0.113.${++lastAddress}`,
  ): Promise<Answer> {
    const body = typeof fields === 'string' ? fields : String(new URLSearchParams(fields));
    return service
      .clientOf(undefined)
      .call('POST', PATH, body, { 'Content-Type': FORM, 'X-Forwarded-For': from, ...headers });
  }
  const withBasic = (authorization: string, from?: string) =>
    introspect({ Authorization: authorization }, { token }, from);
  const withForm = (client_secret: string, from?: string) =>
    introspect({}, { token, client_id: 'renderer', client_secret }, from);

  test('HTTP Basic and client_secret_post open it, with any client id or none', async () => {
    for (const id of ['renderer', '', 'dashboards:emea ü']) {
      expect((await withBasic(basic(secret, id))).body).toMatchObject({
        active: true,
        sub: 'acme',
      });
      const form = await introspect({}, { token, client_id: id, client_secret: secret });
      expect(form.body).toMatchObject({ active: true, sub: 'acme' });
    }
    expect((await introspect({}, { client_secret: secret, token })).body.active).toBe(true);
    expect((await withBasic(basic(secret).replace('Basic', 'bASIC'))).body.active).toBe(true);
  });

  test('a secret of any characters is taken as RFC 6749 has it, and mostly as it is', async () => {
    expect((await withBasic(basic(OWN_FORM))).body.active).toBe(true);
    expect((await withForm(OWN_FORM)).body.active).toBe(true);
    const encodedButPlus = OWN_FORM.replace('%', '%25');
    expect((await withBasic(`Basic ${base64(`id:${encodedButPlus}`)}`)).body.active).toBe(true);
  });

  test('JSON can be asked with HTTP Basic too, and a client_secret in it is none', async () => {
    const json = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ token, client_id: 'renderer', client_secret: secret });
    const byBasic = await introspect({ ...json, Authorization: basic(secret) }, body);
    expect(byBasic.body.active).toBe(true);
    const answer = await introspect(json, body);
    expect([answer.status, answer.body.code]).toEqual([401, 'credentials_missing']);
  });

  test.each<[string, string]>([
    ['no base64', 'Basic ???'],
    ['base64 for URLs', `Basic ${Buffer.from('id:??>>').toString('base64url')}`],
    ['nothing', 'Basic '],
    ['no colon', `Basic ${base64('uga_')}`],
    ['no secret', `Basic ${base64('renderer:')}`],
    ['a broken escape', `Basic ${base64('renderer:%E0%A4%A')}`],
    ['two credentials', `Basic ${base64('a:b')} ${base64('c:d')}`],
    ['a user-group token', basic('ugt_0000')],
    ['another scheme', 'Digest username="x"'],
  ])('Basic with %s is malformed', async (_name, authorization) => {
    const { status, body } = await withBasic(authorization);
    expect([status, body.code]).toEqual([401, 'credentials_malformed']);
  });

  test('a token in two places is refused, whichever of them is right', async () => {
    const both = { token, client_secret: secret };
    for (const scheme of [`Token ${secret}`, `Bearer ${secret}`, basic(secret)]) {
      for (const form of [both, { token, client_secret: 'wrong' }]) {
        const { status, body } = await introspect({ Authorization: scheme }, form);
        expect([scheme, status, body.code]).toEqual([scheme, 400, 'credentials_ambiguous']);
      }
    }
    const twice = `token=${token}&client_secret=${secret}&client_secret=${secret}`;
    expect((await introspect({}, twice)).body.code).toBe('credentials_ambiguous');
    // A wrong header is a wrong header: nothing of the form is looked at.
    const wrong = await introspect({ Authorization: 'Token wrong' }, both);
    expect([wrong.status, wrong.body.code]).toEqual([401, 'api_token_invalid']);
    // RFC 6749, section 2.3.1: an empty secret need not be sent, so it is none.
    const empty = await introspect({ Authorization: basic(secret) }, { token, client_secret: '' });
    expect(empty.body.active).toBe(true);
  });

  test('a 401 names both ways in, and after a try with a token scheme that scheme alone', async () => {
    const answers: [Answer, string][] = [
      [await introspect({}, { token }), BOTH_CHALLENGES],
      [await introspect({ 'Content-Type': 'application/json' }, '{}'), BOTH_CHALLENGES],
      [await withForm('wrong'), BOTH_CHALLENGES],
      [await withBasic(basic('wrong')), BOTH_CHALLENGES],
      [await withBasic('Basic ???'), BOTH_CHALLENGES],
      [await withBasic('Token wrong'), TOKEN_CHALLENGE],
      [await withBasic('Bearer wrong'), TOKEN_CHALLENGE],
      [await withBasic(`Token ${token}`), TOKEN_CHALLENGE],
    ];
    for (const [{ status, headers }, challenge] of answers) {
      expect([status, headers['www-authenticate']]).toEqual([401, challenge]);
    }
  });

  test('no other route takes a secret, nor says that it does', async () => {
    const all = await service.issueToken(['user-groups:read', 'user-groups:write', 'admin']);
    for (const [method, path] of [
      ['GET', '/api/user'],
      ['GET', '/api/v1/user-groups'],
      ['POST', '/api/v1/api-tokens'],
    ] as const) {
      for (const headers of [{ Authorization: basic(all) }, { 'Content-Type': FORM }] as Record<
        string,
        string
      >[]) {
        const body = `client_id=x&client_secret=${all}&user_group_id=acme`;
        const answer = await service.clientOf(undefined).call(method, path, body, headers);
        expect([path, answer.status, answer.headers['www-authenticate']]).toEqual([
          path,
          401,
          TOKEN_CHALLENGE,
        ]);
      }
    }
    const inQuery = await service
      .clientOf(undefined)
      .call('POST', `${PATH}?client_id=x&client_secret=${secret}`, `token=${token}`, {
        'Content-Type': FORM,
      });
    expect([inQuery.status, inQuery.body.code]).toEqual([401, 'credentials_missing']);
  });

  test('wrong secrets are counted by address like wrong tokens, and a right one passes', async () => {
    const from = '198.51.100.7';
    for (const attempt of [
      withForm('wrong', from),
      withBasic(basic('wrong'), from),
      withBasic('Basic ???', from),
    ]) {
      expect((await attempt).status).toBe(401);
    }
    for (const attempt of [withForm('wrong', from), withBasic(basic('wrong'), from)]) {
      const { status, body } = await attempt;
      expect([status, body.code]).toEqual([429, 'rate_limited']);
    }
    for (const attempt of [withForm(secret, from), withBasic(basic(secret), from)]) {
      expect((await attempt).body.active).toBe(true);
    }
  });

  test('an ended token, a missing scope and a wrong address are told like with any scheme', async () => {
    const ended = await service.issueToken(['tokens:introspect']);
    await service.revokeToken(ended);
    const narrow = await service.issueToken(['user-groups:read']);
    const issued = await service.clientOf(OWN_FORM).call('POST', '/api/v1/api-tokens', {
      name: 'elsewhere',
      scopes: ['tokens:introspect'],
      allowed_cidrs: ['192.0.2.0/24'],
    });
    const codes = async (one: string) => [
      (await withBasic(basic(one))).body.code,
      (await withForm(one)).body.code,
    ];
    expect(await codes(ended)).toEqual(Array(2).fill('api_token_invalid'));
    expect(await codes(narrow)).toEqual(Array(2).fill('insufficient_scope'));
    expect(await codes(issued.body.api_token.token)).toEqual(Array(2).fill('address_not_allowed'));
  });

  test('without a header a form of 16 KiB is read, and not a byte more', async () => {
    const fields = (length: number) => {
      const form = `token=${token}&client_secret=${secret}&padding=`;
      return form + 'x'.repeat(length - form.length);
    };
    expect((await introspect({}, fields(16_384))).body.active).toBe(true);
    const { status, body } = await introspect({}, fields(16_385));
    expect([status, body.code]).toEqual([413, 'body_too_large']);
    const chunked = await service.clientOf(undefined).send({
      method: 'POST',
      path: PATH,
      body: fields(16_385),
      headers: { 'Content-Type': FORM },
      chunked: true,
    });
    expect([chunked.status, chunked.body.code]).toEqual([413, 'body_too_large']);
    // A caller that a header identifies may send a body as large as anywhere else.
    const known = await introspect(
      { Authorization: basic(secret) },
      { token, padding: 'x'.repeat(20_000) },
    );
    expect(known.body.active).toBe(true);
  });

  test.each<[string, string | undefined, string, number, string]>([
    ['JSON, even if it is broken', '{"broken', 'application/json', 401, 'credentials_missing'],
    ['a form without a secret', 'token=x', FORM, 401, 'credentials_missing'],
    ['an empty secret', 'token=x&client_secret=', FORM, 401, 'credentials_missing'],
    ['no body', undefined, FORM, 400, 'body_missing'],
    ['a broken escape', 'client_secret=%E', FORM, 400, 'request_malformed'],
    ['very many fields', 'a&'.repeat(200), FORM, 422, 'validation_failed'],
  ])('from nobody: %s', async (_name, body, type, status, code) => {
    const headers = { 'Content-Type': type };
    const answer = await service.clientOf(undefined).call('POST', PATH, body, headers);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.text).not.toContain('broken');
  });
});
