import { onEachDatabase } from '../support/database/databases.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';
import { passTime } from '../support/time/fake-time.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  const create = async () => {
    const group = await service.api.create();
    return { ...group, path: `${group.path}/tokens` };
  };

  test('without a grace period the old token ends at once', async () => {
    const { token } = await create();
    const next = await service.api.rotate(token);
    expect([await service.api.introspect(token), await service.api.isActive(next)]).toEqual([
      { active: false },
      true,
    ]);
  });

  test('the predecessor can be introspected until the grace period is over, and can never rotate', async () => {
    const { id, token } = await create();
    const next = await service.api.rotate(token, 60);
    const rotatedUntil = Date.now();
    const [old, current] = [
      await service.api.introspect(token),
      await service.api.introspect(next),
    ];
    expect(old).toEqual({ ...current, iat: expect.any(Number), exp: expect.any(Number) });
    expect(current).not.toHaveProperty('exp');
    expect(old.exp * 1000).toBeLessThanOrEqual(rotatedUntil + 60_000);
    for (const grace_period_seconds of [undefined, 0, 60]) {
      const again = await service.api.post({ current_token: token, grace_period_seconds });
      expect([again.status, again.body.code]).toEqual([404, 'token_not_found']);
    }
    // Either token gives the same facts of the group, and GET returns the new one.
    await service.api.put({ user_group_id: id, name: 'renamed', properties: { a: 1 } });
    expect(await service.api.introspect(token)).toMatchObject({
      name: 'renamed',
      properties: { a: 1 },
    });
    expect((await service.api.get({ user_group_id: id })).body.user_group.token).toBe(next);
    const over = old.exp * 1000 + 1000 - Date.now();
    passTime(over);
    expect([await service.api.introspect(token), await service.api.isActive(next)]).toEqual([
      { active: false },
      true,
    ]);
  });

  test('a second rotation ends the overlap of the first', async () => {
    const { token: first, path } = await create();
    const second = await service.api.rotate(first, 3600);
    const third = await service.api.rotate(second, 3600);
    expect([
      await service.api.isActive(first),
      await service.api.isActive(second),
      await service.api.isActive(third),
    ]).toEqual([false, true, true]);
    const { body } = await service.api.call('GET', path);
    expect(body.tokens.map(({ state, valid_until }) => [state, valid_until === null])).toEqual([
      ['current', true],
      ['overlap', false],
      ['replaced', true],
    ]);
    const fourth = await service.api.rotate(third);
    expect([
      await service.api.isActive(second),
      await service.api.isActive(third),
      await service.api.isActive(fourth),
    ]).toEqual([false, false, true]);
  });

  test('revoke now ends the overlap at once', async () => {
    const { token, path } = await create();
    const next = await service.api.rotate(token, 3600);
    const revoked = await service.api.call('POST', `${path}/1/revoke`);
    expect([revoked.status, revoked.body.tokens[0]]).toEqual([
      200,
      expect.objectContaining({ generation: 1, state: 'revoked' }),
    ]);
    expect([await service.api.isActive(token), await service.api.isActive(next)]).toEqual([
      false,
      true,
    ]);
    const again = await service.api.call('POST', `${path}/1/revoke`);
    expect(again.body).toEqual(revoked.body);
  });

  test('what cannot be revoked is said', async () => {
    const { path } = await create();
    const codes = [];
    for (const where of [
      `${path}/1`,
      `${path}/2`,
      `${path}/x`,
      '/api/v1/user-groups/none/tokens/1',
    ]) {
      const { status, body } = await service.api.call('POST', `${where}/revoke`);
      codes.push([status, body.code]);
    }
    expect(codes).toEqual([
      [409, 'token_is_current'],
      [404, 'token_not_found'],
      [404, 'token_not_found'],
      [404, 'user_group_not_found'],
    ]);
  });

  test('an operator sees each token without the token, and pages through many', async () => {
    const { token, path } = await create();
    const tokens = [token];
    for (let round = 0; round < 4; round++) tokens.push(await service.api.rotate(tokens.at(-1)!));
    const all = await service.api.call('GET', path);
    expect(all.body.tokens.map((view) => [view.generation, view.last_four])).toEqual(
      tokens.map((issued, index) => [index + 1, issued.slice(-4)]).reverse(),
    );
    for (const issued of tokens) expect(all.text).not.toContain(issued.slice(4, -4));
    const first = await service.api.call('GET', `${path}?limit=3`);
    const second = await service.api.call(
      'GET',
      `${path}?limit=3&cursor=${first.body.next_cursor}`,
    );
    expect([...first.body.tokens, ...second.body.tokens]).toEqual(all.body.tokens);
    expect(second.body).not.toHaveProperty('next_cursor');
  });

  test('who knows the group alone can rotate it, each call anew', async () => {
    const { id, token, path } = await create();
    const answer = await service.api.call('POST', `${path}/rotate`, { grace_period_seconds: 60 });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        success: 1,
        user_group: {
          team_id: expect.any(Number),
          token: expect.any(String),
          name: id,
          provided_id: id,
        },
      },
    ]);
    expect([
      await service.api.isActive(token),
      await service.api.isActive(answer.body.user_group.token),
    ]).toEqual([true, true]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.api.call('POST', `${path}/rotate`, {})),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ body }) => body.user_group.token)).size).toBe(10);
    const none = await service.api.call('POST', '/api/v1/user-groups/none/tokens/rotate', {});
    expect([none.status, none.body.code]).toEqual([404, 'user_group_not_found']);
  });

  test('rotations by token and by group at once leave one current token, which GET answers', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, token, path } = await create();
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, () => service.api.post({ current_token: token })),
        ...Array.from({ length: 4 }, () => service.api.call('POST', `${path}/rotate`, {})),
      ]);
      const [byToken, byGroup] = [answers.slice(0, 4), answers.slice(4)];
      expect(byToken.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      expect(byGroup.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const issued = answers.flatMap(({ status, body }) =>
        status === 200 ? [body.user_group.token] : [],
      );
      const current = (await service.api.get({ user_group_id: id })).body.user_group.token;
      expect(issued).toContain(current);
      const active = [];
      for (const one of issued) if (await service.api.isActive(one)) active.push(one);
      expect(active).toEqual([current]);
    }
  });

  test.each([-1, 86_401, 0.5, '60', null, [], 1e300])(
    'a grace period of %j is refused, and nothing is rotated',
    async (grace_period_seconds) => {
      const { token, path } = await create();
      const body = { current_token: token, grace_period_seconds };
      const answers = [
        await service.api.post(body),
        await service.api.call('POST', `${path}/rotate`, { grace_period_seconds }),
      ];
      for (const { status, body } of answers) {
        expect([status, body.errors[0]!.pointer]).toEqual([422, '/grace_period_seconds']);
      }
      expect(await service.api.isActive(token)).toBe(true);
    },
  );

  test('a strange id in the path is a group that is not there', async () => {
    for (const id of ['%00', '%0A', 'x'.repeat(300), '%F0%9F%98%80']) {
      const path = `/api/v1/user-groups/${id}/tokens`;
      const { status, body } = await service.api.call('GET', path);
      expect([id, status, body.code]).toEqual([id, 404, 'user_group_not_found']);
    }
    const malformed = await service.api.call('GET', '/api/v1/user-groups/%FF/tokens');
    expect([malformed.status, malformed.body.code]).toEqual([400, 'request_malformed']);
    const odd = 'a/b c%2F?#é';
    await service.api.get({ user_group_id: odd, name: 'Odd' });
    const found = await service.api.call(
      'GET',
      `/api/v1/user-groups/${encodeURIComponent(odd)}/tokens`,
    );
    expect(found.status).toBe(200);
  });

  test('the first introspection of a token is written down at once', async () => {
    const { token, path } = await create();
    await service.api.introspect(token);
    await until(async () => {
      const { tokens } = (await service.api.call('GET', path)).body;
      return tokens[0]!.last_introspected_at !== null;
    });
  });

  test('the last introspection of each token is written down', async () => {
    const other = await startTestService(service.database);
    const { id, token, path } = await create();
    const next = await service.api.rotate(token, 3600);
    const askedFrom = Date.now();
    const { body } = await other.api.call('POST', '/api/v1/introspect', { token });
    expect(body).toMatchObject({ active: true, sub: id });
    await other.close();
    const [current, old] = (await service.api.call('GET', path)).body.tokens;
    expect(current).toMatchObject({ last_four: next.slice(-4), last_introspected_at: null });
    expect(Date.parse(old!.last_introspected_at!)).toBeGreaterThanOrEqual(askedFrom);
  });

  test('without a grace period in the call ROTATION_GRACE_SECONDS holds', async () => {
    const other = await startTestService(service.database, { ROTATION_GRACE_SECONDS: '3600' });
    const { token } = await create();
    const rotated = await other.api.post({ current_token: token });
    expect(await service.api.isActive(token)).toBe(true);
    await other.api.post({ current_token: rotated.body.user_group.token, grace_period_seconds: 0 });
    expect(await service.api.isActive(rotated.body.user_group.token)).toBe(false);
    await other.close();
  });
});
