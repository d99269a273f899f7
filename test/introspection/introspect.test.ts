import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

const PATH = '/api/v1/introspect';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

onEachDatabase((kind) => {
  const service = withService(kind);

  const introspect = (token: unknown) => service.api.call('POST', PATH, { token });

  test('an active token says whose it is, on which data, with which variables', async () => {
    const mapping = { sales: 'warehouse', billing: 42, code: '42' };
    const properties = { region: 'EMEA', seats: 25, ['__proto__']: { a: [null] } };
    const issuedFrom = Math.floor(Date.now() / 1000);
    const { body } = await service.api.get({
      user_group_id: 'acme',
      name: 'Acme',
      mapping,
      properties: JSON.parse(JSON.stringify(properties)),
    });
    const issuedUntil = Date.now() / 1000;
    const answer = await introspect(body.user_group.token);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      active: true,
      sub: 'acme',
      team_id: body.user_group.team_id,
      name: 'Acme',
      mapping,
      properties: JSON.parse(JSON.stringify(properties)),
      token_type: 'user_group_token',
      iat: expect.any(Number),
    });
    const { iat } = answer.body as unknown as { iat: number };
    expect(iat).toBeGreaterThanOrEqual(issuedFrom);
    expect(iat).toBeLessThanOrEqual(issuedUntil);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('an inactive token is exactly {"active": false}, whatever the reason', async () => {
    const scopes = ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'] as const;
    const stranger = service.clientOf(await service.issueToken([...scopes], 'strangers'));
    const foreign = (await stranger.get({ user_group_id: 'f', name: 'F' })).body.user_group.token;
    const replaced = (await service.api.get({ user_group_id: 'r', name: 'R' })).body.user_group
      .token;
    const rotated = await service.api.post({ current_token: replaced });
    const mistyped = rotated.body.user_group.token.replace(/.$/, (last) =>
      last === 'a' ? 'b' : 'a',
    );
    const texts = ['', 'x', `ugt_${'0'.repeat(38)}`, foreign, replaced, mistyped];
    texts.push(service.bootstrapToken, ' ', '\u0001', 'é'.repeat(5000));
    for (const text of texts) {
      const answer = await introspect(text);
      expect([answer.status, answer.text]).toEqual([200, '{"active":false}']);
    }
  });

  test('a form is read as the RFC has it, and fields it does not know are ignored', async () => {
    const { body } = await service.api.get({ user_group_id: 'form', name: 'Form' });
    const { token } = body.user_group;
    for (const form of [`token=${token}`, `token_type_hint=x&token=${token}&other=%C3%A9+1`]) {
      const answer = await service.api.call('POST', PATH, form, FORM);
      expect([answer.status, answer.body.active]).toEqual([200, true]);
    }
    const charset = { 'Content-Type': `${FORM['Content-Type']}; charset=UTF-8` };
    const declared = await service.api.call('POST', PATH, `token=${token}`, charset);
    expect(declared.body.active).toBe(true);
  });

  test.each<[string, unknown, Record<string, string>, number, string]>([
    ['no token', {}, {}, 422, 'validation_failed'],
    ['a token that is no text', { token: 7 }, {}, 422, 'validation_failed'],
    ['a list', [], {}, 422, 'validation_failed'],
    ['malformed JSON', '{"token":', {}, 400, 'json_malformed'],
    ['no body', undefined, {}, 400, 'body_missing'],
    ['a form without a token', 'x=1', FORM, 422, 'validation_failed'],
    ['a token twice', 'token=a&token=b', FORM, 422, 'validation_failed'],
    ['a form that is no UTF-8', Buffer.from([0x74, 0xff]), FORM, 400, 'body_not_utf8'],
    ['a form with a broken escape', 'token=%E', FORM, 400, 'request_malformed'],
    [
      'a form of very many fields',
      Array.from({ length: 60_000 }, (_, n) => n.toString(36)).join('&'),
      FORM,
      422,
      'validation_failed',
    ],
    ['JSON declared as a form', { token: 'x' }, FORM, 422, 'validation_failed'],
    ['a text', 'token=a', { 'Content-Type': 'text/plain' }, 415, 'media_type_unsupported'],
    ['too large a form', `token=${'x'.repeat(300_000)}`, FORM, 413, 'body_too_large'],
  ])('%s is refused', async (_name, body, headers, status, code) => {
    const answer = await service.api.call('POST', PATH, body, headers);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('a form is not read where JSON is asked for', async () => {
    const answer = await service.api.send({
      method: 'PUT',
      body: 'user_group_id=a&name=b',
      headers: FORM,
    });
    expect([answer.status, answer.body.code]).toEqual([415, 'media_type_unsupported']);
  });

  test('it is a POST', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      const { status, headers } = await service.api.send({ method, path: PATH });
      expect([method, status, headers['allow']]).toEqual([method, 405, 'POST']);
    }
  });
});
