import { onEachDatabase } from '../support/database/databases.ts';
import { importGroups } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';

interface Row {
  transaction_id: number | string;
  workspace_id: number | null;
  kind: string;
  user_group_id: number | null;
  object_id: string | null;
  occurred_at: number | string;
}

onEachDatabase((kind) => {
  const service = withService(kind);

  /** The id of the last event. The first API token has left one from the start. */
  const lastId = async () =>
    (await service.query<{ id: number }>('SELECT max(id) AS id FROM change_event'))[0]!.id;

  /** The events that `act` has left. */
  async function recordedBy(act: () => Promise<unknown>): Promise<Row[]> {
    const last = await lastId();
    await act();
    return service.query<Row>(`SELECT * FROM change_event WHERE id > ${last} ORDER BY id`);
  }

  const call = async (method: string, path: string, body?: object, headers = {}) => {
    const answer = await service.api.call(method, `/api/v1/${path}`, body, headers);
    expect([answer.status, answer.text]).toEqual([expect.any(Number), expect.any(String)]);
    expect(answer.status).toBeLessThan(300);
    return answer;
  };

  test('each change of a group leaves one event, which names the group', async () => {
    const { id, teamId, token } = await service.api.create({ name: 'N' });
    const path = `user-groups/${encodeURIComponent(id)}`;
    const acts: [string, () => Promise<unknown>][] = [
      ['user_group.update', () => service.api.put({ user_group_id: id, name: 'other' })],
      ['user_group.update', () => service.api.put({ user_group_id: id, mapping: { a: 1 } })],
      ['user_group.update', () => service.api.get({ user_group_id: id, properties: { a: 1 } })],
      ['user_group.suspend', () => call('POST', `${path}/suspend`)],
      ['user_group.resume', () => call('POST', `${path}/resume`)],
      ['user_group_token.rotate', () => service.api.rotate(token, 3600)],
      ['user_group_token.revoke', () => call('POST', `${path}/tokens/1/revoke`)],
      ['user_group_token.rotate', () => call('POST', `${path}/tokens/rotate`, {})],
      ['user_group.update', () => importGroups(service.api, { user_group_id: id, name: 'third' })],
      ['user_group.delete', () => call('DELETE', path)],
    ];
    for (const [expected, act] of acts) {
      expect(await recordedBy(act)).toMatchObject([
        { kind: expected, workspace_id: 1, user_group_id: teamId, object_id: id },
      ]);
    }
  });

  test('a new group leaves one event, and a call that changes nothing leaves none', async () => {
    const group = { user_group_id: 'counted', name: 'C', mapping: { a: 1 }, properties: { b: 2 } };
    const [created, ...others] = await recordedBy(() => service.api.put(group));
    expect(created).toMatchObject({ kind: 'user_group.create', object_id: 'counted' });
    expect(others).toEqual([]);
    const path = 'user-groups/counted';
    const unchanging = [
      () => service.api.put(group),
      () => service.api.get(group),
      () => service.api.get({ user_group_id: 'nobody' }),
      () => service.api.post({ current_token: 'unknown' }),
      () => call('GET', path),
      () => call('GET', `${path}/tokens/current`),
      () => call('POST', `${path}/resume`),
      () => call('POST', 'user-groups/export', {}),
      () => importGroups(service.api, group),
      () => service.api.put({ user_group_id: 'refused' }),
    ];
    for (const act of unchanging) expect(await recordedBy(act)).toEqual([]);
  });

  test('groups that are imported together leave an event each, with the number of their transaction', async () => {
    const groups = Array.from({ length: 30 }, (_, index) => ({
      user_group_id: `i ${index}`,
      name: 'I',
    }));
    const events = await recordedBy(() => importGroups(service.api, ...groups));
    expect(events.map(({ object_id }) => object_id).sort()).toEqual(
      groups.map(({ user_group_id }) => user_group_id).sort(),
    );
    for (const { transaction_id } of events) {
      if (kind === 'postgres') expect(Number(transaction_id)).toBeGreaterThan(0);
      else expect(transaction_id).toBe(0);
    }
  });

  test('what all groups depend on, and API tokens, leave an event of their workspace', async () => {
    const { body } = await call('POST', 'schemas', { provided_id: 's', name: 'S' });
    const schema = `schemas/${(body as unknown as { schema: { id: number } }).schema.id}`;
    const issued = await call('POST', 'api-tokens', { name: 'n', scopes: ['audit:read'] });
    const token = `api-tokens/${issued.body.api_token.id}`;
    const acts: [string, () => Promise<unknown>][] = [
      ['schema.update', () => call('PATCH', schema, { name: 'T' })],
      ['schema.delete', () => call('DELETE', schema)],
      [
        'workspace.update',
        () =>
          call('PATCH', 'workspace', {
            variables: [{ name: 'r', type: 'string', required: true }],
          }),
      ],
      ['workspace.update', () => call('PATCH', 'workspace', { variables: [] })],
      ['api_token.update', () => call('PATCH', token, { name: 'm' })],
      ['api_token.revoke', () => call('POST', `${token}/revoke`)],
    ];
    for (const [expected, act] of acts) {
      expect(await recordedBy(act)).toMatchObject([
        { kind: expected, workspace_id: 1, user_group_id: null },
      ]);
    }
  });
});
