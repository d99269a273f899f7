import { Client } from 'pg';
import { randomInt } from 'node:crypto';
import {
  ChangeReader,
  PositionLost,
  type ReadOptions,
} from '../../src/core/change-log/change-reader.ts';
import { changeDatabase, onEachDatabase, onPostgres } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const HOUR_MS = 3_600_000;

onEachDatabase((kind) => {
  const service = withService(kind);
  const reader = () => service.app.get(ChangeReader);

  /** The objects of all changes from a position on, in pages, and the position behind them. */
  async function readAll(from: string, options: ReadOptions) {
    const ids: (string | null)[] = [];
    let position = from;
    for (;;) {
      const read = await reader().read(position, options);
      ids.push(...read.changes.map(({ objectId }) => objectId));
      ({ position } = read);
      if (!read.hasMore) return { ids, position };
    }
  }

  test.each([1, 3, 1000])('changes come once and in order, in pages of %d', async (limit) => {
    const begin = await reader().end();
    const ids = Array.from({ length: 10 }, (_, index) => `paged ${limit} ${index}`);
    for (const id of ids) await service.api.create({ user_group_id: id });
    const { ids: read, position } = await readAll(begin, { workspaceId: 1, limit });
    expect(read).toEqual(ids);
    expect(await readAll(position, { workspaceId: 1, limit })).toMatchObject({ ids: [] });
    expect(await readAll(begin, { limit })).toMatchObject({ ids });
  });

  test('the first position is before everything that is kept', async () => {
    await service.api.create({ user_group_id: 'first' });
    const { ids } = await readAll(reader().start(), { workspaceId: 1, limit: 1000 });
    expect(ids).toContain('first');
    const { changes } = await reader().read(reader().start(), { limit: 1 });
    expect(changes[0]).toEqual({
      publicId: expect.any(Number),
      workspaceId: 1,
      kind: 'api_token.issue',
      previousObjectId: null,
      userGroupId: null,
      objectId: '1',
      version: null,
      occurredAt: expect.any(Number),
    });
  });

  test('each change of a group has the version that it leads to, its tokens a count of their own', async () => {
    const begin = await reader().end();
    const { id, token } = await service.api.create({});
    const path = `/api/v1/user-groups/${id}`;
    await service.api.put({ user_group_id: id, name: 'second' });
    await service.api.rotate(token, 60);
    await service.api.call('POST', `${path}/tokens/1/revoke`);
    await service.api.call('POST', `${path}/suspend`);
    await service.api.put({ user_group_id: id, mapping: { a: 1 } });
    await service.api.call('DELETE', path);
    const { changes } = await reader().read(begin, { workspaceId: 1, limit: 100 });
    expect(changes.map(({ kind: what, version }) => [what, version])).toEqual([
      ['user_group.create', 1],
      ['user_group.update', 2],
      ['user_group_token.rotate', 2],
      ['user_group_token.revoke', 1],
      ['user_group.suspend', 3],
      ['user_group.update', 4],
      ['user_group.delete', 5],
    ]);
  });

  test('an event has the id of its audit event', async () => {
    const begin = await reader().end();
    await service.api.create({ user_group_id: 'audited' });
    const { changes } = await reader().read(begin, { workspaceId: 1, limit: 100 });
    const rows = await service.query<{ public_id: number | string }>(
      "SELECT public_id FROM audit_event WHERE object_id = 'audited'",
    );
    expect(changes.map(({ publicId }) => publicId)).toEqual(
      rows.map(({ public_id }) => Number(public_id)),
    );
  });

  test('a workspace is shown its own changes, and those of everything', async () => {
    const begin = await reader().end();
    await changeDatabase(
      service.database,
      `INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, occurred_at)
      SELECT ${kind === 'sqlite' ? '0' : 'CAST(CAST(pg_current_xact_id() AS text) AS bigint)'},
        n, nullif(n, 3), 'workspace.update', 0
      FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) AS numbers`,
    );
    const read = async (workspaceId?: number) => {
      const { changes } = await reader().read(begin, {
        limit: 100,
        ...(workspaceId !== undefined && { workspaceId }),
      });
      return changes.map(({ workspaceId: of }) => of);
    };
    expect(new Set(await read(1))).toEqual(new Set([1, null]));
    expect(new Set(await read(2))).toEqual(new Set([2, null]));
    expect(new Set(await read())).toEqual(new Set([1, 2, null]));
  });

  test('a position that is older than what is kept, or of another database, is lost', async () => {
    const end = JSON.parse(await reader().end()) as { at: number };
    const at = (ms: number) => JSON.stringify({ ...end, at: Date.now() - ms });
    await expect(reader().read(at(169 * HOUR_MS), { limit: 1 })).rejects.toThrow(PositionLost);
    expect(await reader().read(at(167 * HOUR_MS), { limit: 1 })).toMatchObject({ hasMore: false });
    const other = kind === 'sqlite' ? { snapshot: '5:5:', at: Date.now() } : { id: 5, at: 0 };
    const lost = reader().read(JSON.stringify(other), { limit: 1 });
    await expect(lost).rejects.toThrow(PositionLost);
  });

  if (kind === 'sqlite') {
    test('a position is lost when another event is in the place of one before it: a backup has been restored', async () => {
      const position = await reader().end();
      expect(await reader().read(position, { limit: 1 })).toMatchObject({ changes: [] });
      const { anchor } = JSON.parse(position) as { anchor: { id: number } };
      await changeDatabase(
        service.database,
        `UPDATE change_event SET public_id = public_id + 1 WHERE id = ${anchor.id}`,
      );
      await expect(reader().read(position, { limit: 1 })).rejects.toThrow(PositionLost);
      await changeDatabase(service.database, `DELETE FROM change_event WHERE id <= ${anchor.id}`);
      expect(await reader().read(position, { limit: 1 })).toMatchObject({ changes: [] });
    });

    test('a position behind the end of the database is lost: a backup has been restored', async () => {
      const { id } = JSON.parse(await reader().end()) as { id: number };
      const ahead = JSON.stringify({ id: id + 1, at: Date.now() });
      await expect(reader().read(ahead, { limit: 1 })).rejects.toThrow(PositionLost);
    });
  }
});

onPostgres('the changes of concurrent transactions on postgres', () => {
  const clients: Client[] = [];
  // Before the database is dropped.
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
  });
  const service = withService('postgres');
  const connect = async () => {
    const client = new Client({ connectionString: service.database.env['DATABASE_URL'] });
    clients.push(client);
    await client.connect();
    return client;
  };

  const RECORD = `
    INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, object_id, occurred_at)
    SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint), 1, 1, 'user_group.update', n, $2
    FROM json_array_elements_text($1) AS n`;
  const record = (client: Client, ...ids: string[]) =>
    client.query(RECORD, [JSON.stringify(ids), Date.now()]);

  test('a transaction that stays open delays no other, and is read once it is committed', async () => {
    const reader = service.app.get(ChangeReader);
    const begin = await reader.end();
    const [slow, quick] = [await connect(), await connect()];
    await slow.query('BEGIN');
    await record(slow, 'slow');
    await record(quick, 'quick');
    const first = await reader.read(begin, { limit: 10 });
    expect(first.changes.map(({ objectId }) => objectId)).toEqual(['quick']);
    await slow.query('COMMIT');
    const second = await reader.read(first.position, { limit: 10 });
    expect(second.changes.map(({ objectId }) => objectId)).toEqual(['slow']);
    expect(await reader.read(second.position, { limit: 10 })).toMatchObject({ changes: [] });
  });

  test('whatever the order of commits and the size of pages, each change is read once', async () => {
    const reader = service.app.get(ChangeReader);
    let position = await reader.end();
    const committed: string[] = [];
    const read: string[] = [];
    let isWriting = true;
    let reads = 0;
    const nextRead = () => {
      const before = reads;
      return until(() => reads > before);
    };
    const write = async (writer: number) => {
      const client = await connect();
      for (let number = 0; number < 60; number++) {
        const ids = Array.from({ length: randomInt(1, 6) }, (_, i) => `${writer}/${number}/${i}`);
        await client.query('BEGIN');
        await record(client, ...ids);
        for (let left = randomInt(0, 3) === 0 ? randomInt(0, 10) : 0; left > 0; left--) {
          await nextRead();
        }
        const isKept = randomInt(0, 10) > 0;
        await client.query(isKept ? 'COMMIT' : 'ROLLBACK');
        if (isKept) committed.push(...ids);
      }
    };
    const readOn = async () => {
      for (let isLast = false; ;) {
        const limit = randomInt(1, 12);
        const found = await reader.read(position, { workspaceId: 1, limit });
        reads++;
        ({ position } = found);
        read.push(...found.changes.map(({ objectId }) => objectId!));
        if (isLast && !found.hasMore) return;
        isLast = !isWriting;
      }
    };
    const reading = readOn();
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    isWriting = false;
    await reading;
    expect(committed.length).toBeGreaterThan(500);
    expect(read.toSorted()).toEqual(committed.toSorted());
  });

  test('after a restart of PostgreSQL what was read in the last minutes comes again, and nothing is left out', async () => {
    const reader = service.app.get(ChangeReader);
    const client = await connect();
    await record(client, 'before');
    const position = await reader.end();
    await record(client, 'after');
    const foreign = { ...(JSON.parse(position) as object), server: 'another', snapshot: '9:9:' };
    const again = await reader.read(JSON.stringify(foreign), { limit: 10_000 });
    const ids = again.changes.map(({ objectId }) => objectId);
    expect(ids).toEqual(expect.arrayContaining(['before', 'after']));
    await record(client, 'later');
    const on = await reader.read(again.position, { limit: 1000 });
    expect(on.changes.map(({ objectId }) => objectId)).toEqual(['later']);
  });

  test('a position is lost when the event before it is gone with another server: a backup has been restored', async () => {
    const reader = service.app.get(ChangeReader);
    const client = await connect();
    await record(client, 'kept', 'lost');
    const position = await reader.end();
    const foreign = JSON.stringify({ ...(JSON.parse(position) as object), server: 'another' });
    expect(await reader.read(foreign, { limit: 10_000 })).toMatchObject({ hasMore: false });
    await client.query("DELETE FROM change_event WHERE object_id = 'lost'");
    await expect(reader.read(foreign, { limit: 10_000 })).rejects.toThrow(PositionLost);
    expect(await reader.read(position, { limit: 10_000 })).toMatchObject({ hasMore: false });
  });

  test('numbers of another server, which a restored backup brings, hide nothing that is new', async () => {
    const reader = service.app.get(ChangeReader);
    const client = await connect();
    await client.query('TRUNCATE change_event');
    await client.query(`INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, object_id, occurred_at)
      VALUES (4000000000, 1, 1, 'user_group.update', 'restored', ${Date.now()})`);
    const old = { snapshot: '3999999999:3999999999:', server: 'another', at: Date.now() };
    const { position } = await reader.read(JSON.stringify(old), { limit: 1000 });
    await record(client, 'new');
    const { changes } = await reader.read(position, { limit: 1000 });
    expect(changes.map(({ objectId }) => objectId)).toEqual(['new']);
  });
});
