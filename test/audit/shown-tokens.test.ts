import { setImmediate } from 'node:timers/promises';
import { TokenDisclosures } from '../../src/core/audit/tally/token-disclosures.ts';
import type { AuditEventView } from '../../src/core/audit/dto/audit-event-response.dto.ts';
import { operator } from '../../src/platform/common/access/caller.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { ALL_BUT_TIMEOUTS } from '../support/time/fake-time.ts';
import { forbidEvents } from '../support/events/forbid-events.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { soon } from '../support/time/until.ts';

onEachDatabase((kind) => {
  let service: TestService;
  let api: ApiClient;

  beforeEach(async () => {
    service = await startTestService(kind, { TRUST_PROXY: '1' });
    ({ api } = service);
  });

  afterEach(() => service.close());

  const flush = () => service.app.get(TokenDisclosures).flush();
  const shown = async (query = ''): Promise<AuditEventView[]> => {
    const path = `/api/v1/audit-events?types=user_group_token.show&limit=200${query}`;
    return (await api.call('GET', path)).body.audit_events;
  };
  const create = async (id: string) =>
    (await api.put({ user_group_id: id, name: id })).body.user_group;

  test('each caller that gets a token is told, once for each API token and group', async () => {
    const { team_id, token } = await create('seen');
    await create('other');
    const key = { 'Idempotency-Key': 'k' };
    await api.post({ current_token: token }, key);
    await api.post({ current_token: token }, key);
    await api.get({ user_group_id: 'seen' });
    await api.get({ user_group_id: 'seen', name: 'Seen' }, { 'X-Forwarded-For': '203.0.113.9' });
    await api.put({ user_group_id: 'seen', name: 'Seen' });
    await api.call('GET', '/api/v1/user-groups/seen/tokens/current');
    const embed = { audience: 'https://dash.example' };
    await api.call('POST', '/api/v1/user-groups/seen/embed-tokens', embed);
    await api.get({ user_group_id: 'other' });
    await api.get({ user_group_id: 'absent' });
    await flush();
    expect((await shown()).map(({ object }) => object!.id).sort()).toEqual(['other', 'seen']);
    const [event, ...others] = await shown('&object_id=seen&object_type=user_group');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      actor: { type: 'api_token', api_token_id: expect.any(Number) },
      details: {
        team_id,
        count: 6,
        first_at: expect.stringMatching(/Z$/),
        last_at: expect.stringMatching(/Z$/),
        by: { repeated_rotation: 1, look_up: 2, write: 1, current_token: 1, embed_token: 1 },
        addresses: { '127.0.0.1': 5, '203.0.113.9': 1 },
      },
    });
    expect(JSON.stringify(event)).not.toMatch(/ugt_|eyJ/);
  });

  test('an unchanged write that has shown a token is told', async () => {
    const { token } = await create('known id');
    const writer = service.clientOf(
      await service.issueToken(['user-groups:write', 'user-group-tokens:read']),
    );
    const { body } = await writer.put({ user_group_id: 'known id' });
    expect(body.user_group.token).toBe(token);
    await flush();
    expect(await shown()).toMatchObject([
      { object: { type: 'user_group', id: 'known id' }, details: { count: 1, by: { write: 1 } } },
    ]);
  });

  test('what has an event of its own, and what shows no token, is not told', async () => {
    const { token } = await create('g');
    await api.post({ current_token: token });
    await api.call('GET', '/api/v1/user-groups/g');
    await api.call('GET', '/api/v1/user-groups/g/tokens');
    await api.call('POST', '/api/v1/user-groups/export', { include_tokens: false });
    const unable = service.clientOf(await service.issueToken(['audit:read']));
    await unable.get({ user_group_id: 'g' });
    await flush();
    expect(await shown()).toEqual([]);
  });

  test('an export is told by its number of tokens, not by one event for each', async () => {
    for (const id of ['e1', 'e2', 'e3']) await create(id);
    await api.call('POST', '/api/v1/user-groups/export', {});
    await flush();
    const [event, ...others] = await shown();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ details: { count: 3, by: { export: 3 } } });
    expect(event).not.toHaveProperty('object');
  });

  test('nothing is written on the time of a look-up, but an hour after the first', async () => {
    await create('g');
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_TIMEOUTS] });
    await api.get({ user_group_id: 'g' });
    jest.advanceTimersByTime(3_599_000);
    expect(await shown()).toEqual([]);
    jest.advanceTimersByTime(1000);
    jest.useRealTimers();
    expect(await soon(shown)).toHaveLength(1);
  });

  test('the last are written before the end', async () => {
    const ending = await startTestService(kind);
    await ending.api.put({ user_group_id: 'g', name: 'G' });
    await ending.api.get({ user_group_id: 'g' });
    await ending.app.close();
    const next = await startTestService(ending.database);
    const path = '/api/v1/audit-events?types=user_group_token.show';
    const { body } = await next.api.call('GET', path);
    expect(body.audit_events).toMatchObject([{ object: { id: 'g' }, details: { count: 1 } }]);
    await next.close();
    await ending.database.drop();
  });

  describe('of more groups than are kept in memory', () => {
    const GROUPS = 25_000;
    const showAll = async () => {
      const [row] = await service.query<{ id: number }>('SELECT min(id) AS id FROM workspace');
      const caller = operator(row!.id);
      for (let id = 1; id <= GROUPS; id++) {
        service.app.get(TokenDisclosures).record(caller, 'look_up', { id, providedId: `g${id}` });
        if (id % 1000 === 0) await setImmediate();
      }
    };
    const counts = async () => {
      const rows = await service.query<{ id: string | null; details: string }>(
        `SELECT object_id AS id, details FROM audit_event WHERE action = 'user_group_token.show'`,
      );
      const countOf = ({ details }: { details: string }) =>
        (JSON.parse(details) as { count: number }).count;
      const sum = (of: typeof rows) => of.reduce((total, row) => total + countOf(row), 0);
      const named = rows.filter(({ id }) => id !== null);
      return { all: sum(rows), named: sum(named), rows: rows.length };
    };

    const NAMED = 20_000;

    test('the first are named and the others counted, and no row comes before its time', async () => {
      await showAll();
      expect((await counts()).rows).toBe(0);
      await flush();
      expect(await counts()).toEqual({ all: GROUPS, named: NAMED, rows: NAMED + 1 });
    });

    test('what the database does not take is told when it does', async () => {
      const allow = await forbidEvents(service);
      await showAll();
      await flush();
      expect((await counts()).rows).toBe(0);
      await allow();
      await flush();
      expect(await counts()).toEqual({ all: GROUPS, named: NAMED, rows: NAMED + 1 });
    });
  });
});
