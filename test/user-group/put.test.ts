import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  test('creates a group and answers exactly its four fields', async () => {
    const answer = await service.api.put({
      user_group_id: 'new',
      name: 'New',
      properties: { a: 1 },
      mapping: { s: 1 },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: 1,
      user_group: {
        team_id: expect.any(Number),
        token: expect.stringMatching(/^ugt_/),
        name: 'New',
        provided_id: 'new',
      },
    });
  });

  test('writes what is sent and keeps the token', async () => {
    const { body: created } = await service.api.put({
      user_group_id: 'w',
      name: 'Before',
      properties: { a: 1 },
    });
    const { body: written } = await service.api.put({ user_group_id: 'w', name: 'After' });
    expect(written.user_group).toEqual({ ...created.user_group, name: 'After' });
    const { body: found } = await service.api.get({ user_group_id: 'w', properties: { a: 1 } });
    expect(found).toMatchObject({
      new_user_group: false,
      user_group: { name: 'After', properties: { a: 1 } },
    });
  });

  test('without a name it changes a known group and cannot create a new one', async () => {
    const refused = await service.api.put({ user_group_id: 'x', properties: {} });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      expect.objectContaining({ pointer: '/name', code: 'required' }),
    ]);
    await service.api.put({ user_group_id: 'x', name: 'X' });
    const changed = await service.api.put({ user_group_id: 'x', properties: { b: 2 } });
    expect(changed.body.user_group.name).toBe('X');
  });

  test('writes by different callers to different fields are both kept', async () => {
    for (let round = 0; round < 20; round++) {
      await service.api.put({ user_group_id: `both ${round}`, name: 'n' });
      await Promise.all([
        service.api.put({ user_group_id: `both ${round}`, name: 'renamed' }),
        service.api.put({ user_group_id: `both ${round}`, properties: { p: round } }),
        service.api.put({ user_group_id: `both ${round}`, mapping: { m: round } }),
      ]);
      const { body } = await service.api.get({
        user_group_id: `both ${round}`,
        properties: { p: round },
      });
      expect(body.user_group.name).toBe('renamed');
      const rows = await service.query<{ updated: number }>(
        `SELECT count(*) AS updated FROM data_source_mapping m JOIN user_group g ON g.id = m.user_group_id
         WHERE g.provided_id = 'both ${round}' AND g.properties = '{"p":${round}}' AND m.data_source = '${round}'`,
      );
      expect(rows[0]!.updated).toBe(1);
    }
  });
});
