import type { ApiClient, CreatedGroup } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { exportGroups, importGroups } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';
import { WriteStore } from '../../src/core/user-group/writing/write-store.ts';

onEachDatabase((kind) => {
  const service = withService(kind);
  const other = withService(kind);
  let api: ApiClient;

  beforeEach(() => {
    api = service.api;
  });

  const lineOf = async ({ id }: CreatedGroup) =>
    (await exportGroups(api)).find(({ provided_id }) => provided_id === id)!;
  const importOne = async (line: object, to = api) => (await importGroups(to, line))[0]!;
  const remove = async ({ path }: CreatedGroup) =>
    expect((await api.call('DELETE', path)).status).toBe(200);
  const endAll = (of: ApiClient) =>
    of.call('POST', '/api/v1/workspace/end-tokens', {
      kinds: ['user_group_token'],
      reason: 'a backup was lost',
    });
  const refused = { status: 409, code: 'token_not_usable' };

  /** Deletes the group and expects that no line of an earlier export brings its token back. */
  const expectGone = async (group: CreatedGroup, line: object, token = group.token) => {
    await remove(group);
    expect(await importOne(line)).toMatchObject(refused);
    expect(await api.isActive(token)).toBe(false);
  };

  test('an export leaves out a token that was ended with all others, and says so', async () => {
    const group = await api.create();
    await endAll(api);
    const line = await lineOf(group);
    expect(line).toMatchObject({ provided_id: group.id, token_ended: true });
    expect(line).not.toHaveProperty('token');
    expect(await importOne(line, other.api)).toMatchObject({ result: 'created' });
    expect([await other.api.isActive(group.token), await api.isActive(group.token)]).toEqual([
      false,
      false,
    ]);
    const [next] = await importGroups(api, line);
    expect(next).toMatchObject({ result: 'unchanged' });
    const { token } = (await api.get({ user_group_id: group.id })).body.user_group;
    expect(await lineOf(group)).toMatchObject({ token });
  });

  test('a leaked token comes back by no import, also if its group is deleted', async () => {
    const group = await api.create();
    const line = await lineOf(group);
    const report = { tokens: [group.token], source: 'scanner' };
    await api.call('POST', '/api/v1/tokens/report-leaked', report);
    expect(await importOne(line)).toMatchObject(refused);
    await expectGone(group, line);
    expect(await importOne({ ...line, provided_id: 'another id' })).toMatchObject(refused);
  });

  test.each([
    ['its holder has revoked', 0],
    ['its holder has revoked in its overlap', 3600],
  ])('a token that %s comes back by no import', async (_what, grace) => {
    const group = await api.create();
    const line = await lineOf(group);
    if (grace > 0) await api.rotate(group.token, grace);
    expect((await api.call('POST', '/api/v1/revoke', { token: group.token })).status).toBe(200);
    await expectGone(group, line);
  });

  test('a token whose overlap somebody has ended comes back by no import', async () => {
    const group = await api.create();
    const line = await lineOf(group);
    await api.rotate(group.token, 3600);
    expect((await api.call('POST', `${group.path}/tokens/1/revoke`)).status).toBe(200);
    await expectGone(group, line);
  });

  test('a token that was ended with all others comes back by no import and no restored version', async () => {
    const [deleted, replaced] = [await api.create(), await api.create()];
    const lines = [await lineOf(deleted), await lineOf(replaced)];
    await endAll(api);
    await api.get({ user_group_id: replaced.id });
    await expectGone(deleted, lines[0]!);
    await expectGone(replaced, lines[1]!);
    expect((await api.call('POST', `${deleted.path}/versions/1/restore`)).status).toBe(201);
    expect(await api.isActive(deleted.token)).toBe(false);
  });

  test.each([
    ['without an overlap', 0],
    ['with an overlap that its deletion has ended', 3600],
  ])('a token that was replaced %s comes back by no import', async (_what, grace) => {
    const group = await api.create();
    const line = await lineOf(group);
    const next = await api.rotate(group.token, grace);
    const newer = await lineOf(group);
    await expectGone(group, line);
    // The last one was only lost with its group.
    expect(await importOne(newer)).toMatchObject({ result: 'created' });
    expect(await api.isActive(next)).toBe(true);
  });

  test('the last token of a deleted group comes back by an import, as often as nobody has ended it', async () => {
    const group = await api.create();
    const line = await lineOf(group);
    for (let turn = 0; turn < 2; turn++) {
      await remove(group);
      expect(await importOne(line)).toMatchObject({ result: 'created' });
      expect(await api.isActive(group.token)).toBe(true);
    }
    await endAll(api);
    await expectGone(group, line);
  });

  const ends: [string, (group: CreatedGroup) => Promise<void>][] = [
    [
      'a report of a leak',
      async ({ token }: CreatedGroup) => {
        const { body } = await api.call('POST', '/api/v1/tokens/report-leaked', {
          tokens: [token],
        });
        expect(body).toMatchObject({
          results: [{ kind: 'user_group_token', result: 'already_inactive' }],
        });
      },
    ],
    [
      'a revocation',
      async ({ token }: CreatedGroup) => {
        expect((await api.call('POST', '/api/v1/revoke', { token })).status).toBe(200);
      },
    ],
    [
      'the end of all tokens',
      async () => {
        await endAll(api);
      },
    ],
    [
      'the end of all tokens issued before now',
      async () => {
        const before = new Date().toISOString();
        const body = { kinds: ['user_group_token'], reason: 'a backup was lost', before };
        expect((await api.call('POST', '/api/v1/workspace/end-tokens', body)).status).toBe(200);
      },
    ],
  ];

  test.each(ends)(
    'after %s the last token of a deleted group comes back by no import',
    async (_what, end) => {
      const group = await api.create();
      const line = await lineOf(group);
      await remove(group);
      await end(group);
      expect(await importOne(line)).toMatchObject(refused);
      expect(await importOne({ ...line, provided_id: 'another id' })).toMatchObject(refused);
      expect(await api.isActive(group.token)).toBe(false);
    },
  );

  test.each(ends)(
    'after %s an import that was planned before it brings no token back',
    async (_what, end) => {
      const [gone, kept] = [await api.create(), await api.create()];
      const line = await lineOf(gone);
      await remove(gone);
      const store = service.app.get(WriteStore);
      const apply = store.apply.bind(store);
      jest.spyOn(store, 'apply').mockImplementationOnce(async (...planned) => {
        await end(gone);
        return apply(...planned);
      });
      const change = { user_group_id: kept.id, name: 'Changed' };
      expect((await importGroups(api, line, change)).slice(0, 2)).toMatchObject([
        refused,
        { result: 'updated' },
      ]);
      expect((await api.call('GET', gone.path)).status).toBe(404);
      expect(await api.isActive(gone.token)).toBe(false);
    },
  );

  test('a token that is imported again is ended like any other', async () => {
    const group = await api.create();
    const line = await lineOf(group);
    await remove(group);
    await importOne(line);
    await api.call('POST', '/api/v1/tokens/report-leaked', { tokens: [group.token] });
    expect(await api.isActive(group.token)).toBe(false);
    await expectGone(group, line);
  });

  test('a token that one workspace has ended is nothing to another', async () => {
    const stranger = service.clientOf(
      await service.issueToken(
        ['user-groups:write', 'tokens:rotate', 'tokens:introspect'],
        'other',
      ),
    );
    const group = await api.create();
    const line = await lineOf(group);
    await api.call('POST', '/api/v1/revoke', { token: group.token });
    expect(await importOne(line, stranger)).toMatchObject({ result: 'created' });
    expect(await api.isActive(group.token)).toBe(false);
  });
});
