import { setImmediate } from 'node:timers/promises';
import { ChangeReader } from '../../src/core/change-log/change-reader.ts';
import { ChangeTail } from '../../src/features/event/feed/change-tail.ts';
import { EventStreams } from '../../src/features/event/stream/event-streams.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { type StreamMessage, StreamReader } from '../support/events/event-stream.ts';
import { importGroups } from '../support/api/lines.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

onEachDatabase((kind) => {
  const service = withService(kind);
  const readers: StreamReader[] = [];

  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  const open = async (query = '', headers = {}, apiToken = service.bootstrapToken) => {
    const reader = await StreamReader.open(service, apiToken, query, headers);
    readers.push(reader);
    return reader;
  };
  const tail = () =>
    service.app.get<{
      beatAt: number;
      loop: { dueAt: number; failures: number; wake: (afterMs: number) => void };
    }>(ChangeTail);
  const isCurrent = (reader: StreamReader) => () =>
    reader.messages.some(({ event }) => event === 'current');

  test('a stream opens with its clock, is current soon, and tells of changes before its next beat', async () => {
    const reader = await open();
    expect(reader.response.statusCode).toBe(200);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    await reader.until(isCurrent(reader));
    expect(reader.messages[0]).toEqual({
      event: 'open',
      id: expect.any(String),
      data: { at: expect.any(Number) },
    });
    const wake = jest.spyOn(tail().loop, 'wake');
    const { id, teamId } = await service.api.create();
    await reader.until(() => reader.changes.length > 0);
    expect(wake).toHaveBeenCalledWith(50);
    wake.mockRestore();
    expect(reader.changes).toEqual([
      {
        event: 'change',
        id: expect.any(String),
        data: {
          id: expect.stringMatching(/^evt_\d+$/),
          type: 'user_group.create',
          occurred_at: expect.any(String),
          user_group: { team_id: teamId, provided_id: id, version: 1 },
        },
      },
    ]);
  });

  test('HEAD gets the header fields at once, and keeps no slot', async () => {
    for (let number = 0; number < 60; number++) {
      const response = await fetch(`${service.baseUrl}/api/v1/events/stream`, {
        method: 'HEAD',
        headers: { Authorization: `Token ${service.bootstrapToken}` },
      });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
    }
  });

  test('what is current grows with the clock of the stream, several times a second', async () => {
    const reader = await open();
    await reader.until(isCurrent(reader));
    const wake = jest.spyOn(tail().loop, 'wake');
    const seen = reader.messages.length;
    // One more than the six: a late one and the next may come at once.
    await reader.until(() => reader.messages.length >= seen + 7);
    expect(wake.mock.calls.length).toBeGreaterThan(0);
    // A timer of Node may be early by a millisecond, which the next one is then longer.
    for (const [afterMs] of wake.mock.calls) expect(afterMs).toBeLessThan(260);
    wake.mockRestore();
    const moments = reader.messages
      .slice(seen)
      .map(({ event, data }) => [event, data.at!] as const);
    expect(moments.every(([event]) => event === 'current')).toBe(true);
    const times = moments.map(([, at]) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1000);
  });

  test('what is current grows amid writes, too', async () => {
    const reader = await open();
    await reader.until(isCurrent(reader));
    const current = () =>
      reader.messages.flatMap(({ event, data }) => (event === 'current' ? data.at! : []));
    const before = current().length;
    let writes = 0;
    // Without a pause between two writes.
    for (; current().length < before + 4 || writes < 5; writes++) await service.api.create();
    const told = current();
    expect(told.at(-1)).toBeGreaterThan(told[0]!);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
  });

  test('a stream does not tell that other workspaces have changed', async () => {
    const token = await service.issueToken(
      ['events:read', 'user-groups:write', 'user-group-tokens:read'],
      'busy',
    );
    const reader = await open();
    await reader.until(isCurrent(reader));
    // Someone follows the other workspace too, and is told at once.
    const other = await open('', {}, token);
    await other.until(isCurrent(other));
    const seen = reader.messages.length;
    const { beatAt } = tail();
    const beats = () => (tail().beatAt - beatAt) / 250;
    for (let changes = 1; changes <= 10 || beats() < 6; changes++) {
      await service.clientOf(token).create();
      await other.until(() => other.changes.length >= changes);
    }
    // One at each beat, of which one may be on its way.
    expect(reader.messages.length - seen).toBeLessThanOrEqual(beats() + 1);
    await other.until(() => other.changes.length > 9);
    expect(reader.changes).toEqual([]);
  });

  test('nothing is current before what it covers has been told', async () => {
    const reader = await open();
    await reader.until(isCurrent(reader));
    const clock = () => reader.messages.findLast(({ event }) => event === 'current')!.data.at!;
    for (let round = 0; round < 5; round++) {
      // This process is the server, too: it is the clock of the stream.
      const { id } = await service.api.create();
      const committed = performance.now();
      await reader.until(() => clock() > committed);
      const told = reader.changes.map(
        ({ data }) => data as { user_group?: { provided_id: string } },
      );
      expect(told.at(-1)!.user_group!.provided_id).toBe(id);
    }
  });

  test('a reader that was away goes on where it was, by the header or the query', async () => {
    const reader = await open();
    await reader.until(isCurrent(reader));
    await service.api.create();
    await reader.until(() => reader.changes.length > 0);
    const { id } = reader.changes[0]!;
    reader.close();
    await importGroups(
      service.api,
      ...Array.from({ length: 30 }, (_, index) => ({ user_group_id: `away ${index}`, name: 'A' })),
    );
    const ways = [
      ['', { 'Last-Event-ID': id! }],
      [`?after=${id!}`, {}],
      ['?after=latest', { 'Last-Event-ID': id! }],
    ] as const;
    for (const [index, [query, headers]] of ways.entries()) {
      const resumed = await open(query, headers);
      await resumed.until(isCurrent(resumed));
      const ids = resumed.changes.map(({ data }) => data['id']);
      expect(new Set(ids).size).toBe(30 + index);
      await service.api.create();
      await resumed.until(() => resumed.changes.length > ids.length);
      resumed.close();
    }
  });

  test('a reader that resumes amid writes misses nothing', async () => {
    let isWriting = true;
    const written: string[] = [];
    const write = async () => {
      while (isWriting) {
        written.push((await service.api.create()).id);
        await setImmediate();
      }
    };
    const first = await open();
    await first.until(isCurrent(first));
    const writing = Promise.allSettled([write(), write()]);
    const told = new Set<string>();
    let last: string | undefined;
    const noteAll = (reader: StreamReader) => {
      for (const { data, id } of reader.changes) {
        told.add((data as { user_group?: { provided_id: string } }).user_group!.provided_id);
        last = id ?? last;
      }
    };
    await first.until(() => first.changes.some(({ id }) => id !== undefined));
    noteAll(first);
    first.close();
    for (let round = 0; round < 8; round++) {
      const reader = await open('', { 'Last-Event-ID': last! });
      await reader.until(() => reader.changes.length > round);
      noteAll(reader);
      reader.close();
    }
    isWriting = false;
    for (const { status } of await writing) expect(status).toBe('fulfilled');
    const end = await open('', { 'Last-Event-ID': last! });
    await end.until(isCurrent(end));
    noteAll(end);
    expect(written.filter((id) => !told.has(id))).toEqual([]);
    expect(written.length).toBeGreaterThan(10);
  });

  test('types can be chosen, and another workspace is told of nothing', async () => {
    const token = await service.issueToken(['events:read'], 'neighbour');
    const neighbour = await open('', {}, token);
    const chosen = await open('?types=user_group_token.*');
    await Promise.all([chosen.until(isCurrent(chosen)), neighbour.until(isCurrent(neighbour))]);
    const { token: groupToken } = await service.api.create();
    await service.api.rotate(groupToken);
    const committed = performance.now();
    // After this message, every earlier commit has been told.
    const isLater = ({ event, data }: StreamMessage) => event === 'current' && data.at! > committed;
    for (const reader of [chosen, neighbour]) {
      await reader.until(() => reader.messages.some(isLater));
    }
    expect(chosen.changes.map(({ data }) => data.type)).toEqual(['user_group_token.rotate']);
    expect(neighbour.changes).toEqual([]);
  });

  test.each([
    ['a cursor of nobody', '?after=x', {}, 422],
    ['a type of nothing', '?types=x', {}, 422],
    ['an unknown parameter', '?wait=1', {}, 422],
    ['a header of nobody', '', { 'Last-Event-ID': 'x' }, 422],
  ])('%s is refused before the stream begins', async (_what, query, headers, status) => {
    const reader = await open(query, headers);
    expect(reader.response.statusCode).toBe(status);
    expect(reader.response.headers['content-type']).toContain('application/problem+json');
  });

  test('the stream of an API token ends with it', async () => {
    const token = await service.issueToken(['events:read']);
    const interval = jest.spyOn(globalThis, 'setInterval');
    const reader = await open('', {}, token);
    await reader.until(isCurrent(reader));
    // It looks at its API token four times a second.
    expect(interval.mock.calls.map(([, ms]) => ms)).toContain(250);
    interval.mockRestore();
    await service.revokeToken(token);
    const messages = await reader.untilOver();
    expect(messages.at(-1)).toEqual({ event: 'end', data: { reason: 'unauthorized' } });
  });

  test('the stream of an API token ends when it is restricted to certain user groups', async () => {
    const body = { name: 'reader', scopes: ['events:read'] };
    const { id, token } = (await service.api.call('POST', '/api/v1/api-tokens', body)).body
      .api_token;
    const reader = await open('', {}, token);
    await reader.until(isCurrent(reader));
    const user_groups = { ids: ['only'] };
    await service.api.call('PATCH', `/api/v1/api-tokens/${id}`, { user_groups });
    const messages = await reader.untilOver();
    expect(messages.at(-1)).toEqual({ event: 'end', data: { reason: 'unauthorized' } });
  });

  test('an API token has at most fifty streams, and a slot comes back with its stream', async () => {
    const token = await service.issueToken(['events:read']);
    const opened = await Promise.all(Array.from({ length: 50 }, () => open('', {}, token)));
    const refused = await open('', {}, token);
    expect(refused.response.statusCode).toBe(429);
    expect((await open()).response.statusCode).toBe(200);
    opened[0]!.close();
    const reopen = async () => (await open('', {}, token)).response.statusCode;
    let status: number | undefined;
    await until(async () => (status = await reopen()) !== 429);
    expect(status).toBe(200);
  });

  /** Commits this many changes in one transaction, of half a kilobyte each. */
  const changeMany = (count: number) =>
    changeDatabase(
      service.database,
      `INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, object_id, occurred_at)
      WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      SELECT ${kind === 'sqlite' ? '0' : 'CAST(CAST(pg_current_xact_id() AS text) AS bigint)'},
        n, 1, 'schema.update', '${'x'.repeat(400)}', ${Date.now()} FROM numbers`,
    );

  test('a reader that reads is not cut, however much has changed at once', async () => {
    const reader = await open();
    await reader.until(isCurrent(reader));
    for (let transaction = 1; transaction <= 4; transaction++) await changeMany(5000);
    await reader.until(() => reader.changes.length >= 20_000);
    expect(reader.isOver).toBe(false);
  });

  test('a reader that reads is told of one transaction with however many changes, then is current', async () => {
    const reader = await open('?types=schema.*');
    await reader.until(isCurrent(reader));
    await changeMany(20_000);
    const committed = performance.now();
    const isLater = ({ event, data }: StreamMessage) => event === 'current' && data.at! > committed;
    await reader.until(() => isLater(reader.messages.at(-1)!));
    const told = reader.messages.slice(0, reader.messages.findIndex(isLater));
    const ids = told.filter(({ event }) => event === 'change').map(({ data }) => data['id']);
    // Some may come twice.
    expect(new Set(ids).size).toBe(20_000);
  });

  test('a reader that does not read is cut, and others go on', async () => {
    const { ends } = service.app.get(EventStreams);
    const before = ends.too_slow;
    const [slow, quick] = [await open(), await open()];
    await Promise.all([slow.until(isCurrent(slow)), quick.until(isCurrent(quick))]);
    slow.pause();
    // More than the buffers of the kernel take.
    for (let round = 0; round < 5 && ends.too_slow === before; round++) await changeMany(6000);
    await until(() => ends.too_slow > before);
    expect(quick.isOver).toBe(false);
    const seen = quick.messages.length;
    await quick.until(() => quick.messages.length > seen);
  });

  if (kind === 'postgres') {
    test('a stream ends when PostgreSQL is another server, which may have lost what was told', async () => {
      const reader = await open();
      await reader.until(isCurrent(reader));
      const changes = service.app.get(ChangeReader);
      const read = changes.read.bind(changes);
      jest.spyOn(changes, 'read').mockImplementationOnce((position, options) => {
        const elsewhere = { ...(JSON.parse(position) as object), server: 'another' };
        return read(JSON.stringify(elsewhere), options);
      });
      const messages = await reader.untilOver();
      expect(messages.at(-1)).toEqual({ event: 'end', data: { reason: 'lost' } });
      const resumed = await open();
      await resumed.until(isCurrent(resumed));
    });
  }

  test('while the log cannot be read nothing is current', async () => {
    const reader = await open();
    await reader.until(isCurrent(reader));
    await changeDatabase(
      service.database,
      'ALTER TABLE change_event RENAME COLUMN kind TO kind_away',
    );
    const { loop } = tail();
    await until(() => loop.failures > 0);
    // Reads all that was sent before that.
    for (let turn = 1; turn <= 5; turn++) await setImmediate();
    const seen = reader.messages.length;
    await until(() => loop.failures > 4);
    expect(reader.messages.length).toBe(seen);
    await changeDatabase(
      service.database,
      'ALTER TABLE change_event RENAME COLUMN kind_away TO kind',
    );
    await reader.until(() => reader.messages.length > seen);
  });
});

onEachDatabase((kind) => {
  test('streams and waiting calls are ended before the process is', async () => {
    const service = await startTestService(kind);
    const reader = await StreamReader.open(service, service.bootstrapToken);
    await reader.until(() => reader.messages.some(({ event }) => event === 'current'));
    const waiting = service.api.call('GET', '/api/v1/events?after=latest&wait=30');
    await until(() => service.app.get(ChangeTail).count === 2);
    const closing = service.close();
    expect((await reader.untilOver()).at(-1)).toEqual({
      event: 'end',
      data: { reason: 'shutting_down' },
    });
    expect((await waiting).status).toBe(200);
    await closing;
  });
});
