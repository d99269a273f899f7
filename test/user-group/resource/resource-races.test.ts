import type { Answer } from '../../support/api/api-client.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import { withService } from '../../support/test-service.ts';
import { until } from '../../support/time/until.ts';

const ROUNDS = 15;

onEachDatabase((kind) => {
  const service = withService(kind);
  let count = 0;

  const create = () => service.api.create({ name: 'n', mapping: { s: 1 } });
  const left = async (team: number) => {
    const tables = ['user_group_token', 'data_source_mapping', 'idempotency_key'];
    const rows = await Promise.all(
      tables.map((table) => service.query(`SELECT 1 FROM ${table} WHERE user_group_id = ${team}`)),
    );
    return rows.flat();
  };
  const codeOf = ({ status, body }: Answer) => [status, body.code];

  test('of parallel writes that depend on one state exactly one is done', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { path } = await create();
      const tag = (await service.api.call('GET', path)).headers['etag'] as string;
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          index % 2
            ? service.api.call('PUT', path, { name: `put ${index}` }, { 'If-Match': tag })
            : service.api.call('PATCH', path, { name: `patch ${index}` }, { 'If-Match': tag }),
        ),
      );
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      for (const answer of answers) {
        if (answer !== winner) expect(codeOf(answer)).toEqual([412, 'precondition_failed']);
      }
      const { body } = await service.api.call('GET', path);
      expect(body.user_group).toEqual(winner!.body.user_group);
    }
  });

  test('of parallel creations with If-None-Match exactly one is done', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const path = `/api/v1/user-groups/new-${++count}`;
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          service.api.call('PUT', path, { name: `n${index}` }, { 'If-None-Match': '*' }),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([201, ...Array<number>(7).fill(412)]);
    }
  });

  test('parallel patches of different members are all kept', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { path } = await create();
      const members = Array.from({ length: 8 }, (_, index) => `p${index}`);
      const answers = await Promise.all(
        members.map((member, index) =>
          service.api.call('PATCH', path, {
            properties: { [member]: index, shared: { [member]: true } },
            mapping: { [member]: index },
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      const { user_group: group } = (await service.api.call('GET', path)).body;
      expect(Object.keys(group.mapping).sort()).toEqual([...members, 's']);
      expect(Object.keys(group.properties).sort()).toEqual([...members, 'shared']);
      expect(Object.keys(group.properties['shared'] as object).sort()).toEqual(members);
    }
  });

  test('deleting while its token is rotated: either comes first, and nothing is left', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { path, token, teamId: team } = await create();
      const key = { 'Idempotency-Key': `race-${kind}-${round}` };
      const rotate = () =>
        service.api.post({ current_token: token, grace_period_seconds: 60 }, key);
      const rotateByGroup = () => service.api.call('POST', `${path}/tokens/rotate`, {});
      const [deleted, ...rotated] = await Promise.all([
        service.api.call('DELETE', path),
        ...(round % 2
          ? [rotate(), rotateByGroup(), rotateByGroup()]
          : [rotateByGroup(), rotate(), rotate()]),
      ]);
      expect(codeOf(deleted)).toEqual([200, undefined]);
      for (const answer of rotated) {
        const wanted = [
          [200, undefined],
          [404, 'token_not_found'],
          [404, 'user_group_not_found'],
          [409, 'idempotency_key_spent'],
        ];
        expect(wanted).toContainEqual(codeOf(answer));
        if (answer.status === 200) {
          expect(await service.api.isActive(answer.body.user_group.token)).toBe(false);
        }
      }
      expect(await left(team)).toEqual([]);
      expect(await service.api.isActive(token)).toBe(false);
    }
  });

  test('deleting while a token is rotated again and again never deadlocks', async () => {
    for (let round = 0; round < 5; round++) {
      const { path, token, teamId: team } = await create();
      let rotations = 0;
      const chain = async () => {
        for (let current = token; ; rotations++) {
          const answer = await service.api.post({ current_token: current });
          if (answer.status !== 200) return answer;
          current = answer.body.user_group.token;
        }
      };
      const chained = chain();
      await until(() => rotations >= round);
      const deleted = await service.api.call('DELETE', path);
      expect(codeOf(deleted)).toEqual([200, undefined]);
      expect(codeOf(await chained)).toEqual([404, 'token_not_found']);
      expect(await left(team)).toEqual([]);
    }
  });

  test('deleting while the same id is created: one group at most, and every answer true', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, path, teamId: team } = await create();
      const answers = await Promise.all([
        service.api.call('DELETE', path),
        ...Array.from({ length: 4 }, () => service.api.get({ user_group_id: id, name: 'n' })),
        service.api.call('PUT', path, { name: 'n' }),
      ]);
      for (const { status } of answers) expect([200, 201]).toContain(status);
      const rows = await service.query<{ id: number }>(
        `SELECT id FROM user_group WHERE provided_id = '${id}'`,
      );
      expect(rows.length).toBeLessThanOrEqual(1);
      const kept = answers.flatMap(
        ({ body }) => (body.user_group as { team_id: number } | undefined)?.team_id ?? [],
      );
      for (const one of kept) expect([team, rows[0]?.id]).toContain(one);
      expect(await left(team)).toEqual([]);
    }
  });

  test('deleting twice at once is done once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { path } = await create();
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => service.api.call('DELETE', path)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    }
  });

  test('deleting while an overlap is ended is never a defect', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { path, token } = await create();
      await service.api.post({ current_token: token, grace_period_seconds: 600 });
      const [deleted, ...revoked] = await Promise.all([
        service.api.call('DELETE', path),
        ...Array.from({ length: 3 }, () => service.api.call('POST', `${path}/tokens/1/revoke`)),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status } of revoked) expect([200, 404]).toContain(status);
    }
  });

  test('after a suspension was answered no introspection is active, whatever was under way', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { path, token } = await create();
      const before = Array.from({ length: 4 }, () => service.api.isActive(token));
      const suspended = await Promise.all(
        Array.from({ length: 3 }, () => service.api.call('POST', `${path}/suspend`)),
      );
      const after = Array.from({ length: 4 }, () => service.api.isActive(token));
      expect(await Promise.all(after)).toEqual([false, false, false, false]);
      await Promise.all(before);
      const times = suspended.map(({ body }) => body.user_group.suspended_at);
      expect(new Set(times).size).toBe(1);
    }
  });
});
