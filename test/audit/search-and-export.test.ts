import type { AuditEventView } from '../../src/core/audit/dto/audit-event-response.dto.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { recordRoundTrips } from '../support/database/database-traffic.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { planOf, wasteIn } from '../support/database/query-plan.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

const PATH = '/api/v1/audit-events';
const EXPORT = `${PATH}/export`;

onEachDatabase((kind) => {
  const roundTrips = recordRoundTrips();
  const service = withService(kind);

  const list = async (api: ApiClient, query: Record<string, string>) => {
    const found: AuditEventView[] = [];
    const pages: number[] = [];
    for (let cursor = ''; ;) {
      const parameters = { ...query, ...(cursor && { cursor }) };
      const path = `${PATH}?${String(new URLSearchParams(parameters))}`;
      const { status, body } = await api.call('GET', path);
      expect(status).toBe(200);
      found.push(...body.audit_events);
      pages.push(body.audit_events.length);
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent on the last page
      if (body.next_cursor === undefined) break;
      cursor = body.next_cursor;
    }
    return { found, pages };
  };

  /** Exports with the filters of the list, where `types` is one. */
  const exported = async (
    api: ApiClient,
    { types, ...filters }: Record<string, string | number | undefined>,
  ) => {
    const { status, text } = await api.call('POST', EXPORT, {
      ...filters,
      ...(types && { types: [types] }),
    });
    expect(status).toBe(200);
    const lines = text.trimEnd().split('\n');
    const summary = JSON.parse(lines.pop()!) as object;
    expect(summary).toEqual({ summary: { exported: lines.length, complete: true } });
    return lines.map((line) => JSON.parse(line) as AuditEventView);
  };

  test('a search finds a text wherever an event has it; an export has the same events', async () => {
    const { api } = await TestWorkspace.create(service, 'search');
    const requestId = { 'X-Request-Id': 'Order-4711' };
    await api.put({ user_group_id: 'acme-EMEA', name: 'Plain' });
    await api.put({ user_group_id: 'other', name: 'Würth "quoted"' }, requestId);
    await api.put({ user_group_id: 'other', name: 'Plain' });
    await api.call('POST', '/api/v1/user-groups/other/suspend');
    const actions = async (search: string, filters: Record<string, string> = {}) => {
      const query = { object_type: 'user_group', search, ...filters };
      const { found } = await list(api, query);
      expect(await exported(api, query)).toEqual(found);
      return found.map(({ action, object }) => `${action} ${object!.id}`);
    };
    expect(await actions('ACME')).toEqual(['user_group.create acme-EMEA']);
    expect(await actions('SUSPEND')).toEqual(['user_group.suspend other']);
    expect(await actions('order-47')).toEqual(['user_group.create other']);
    expect(await actions('WÜRTH "Quoted"')).toEqual([
      'user_group.update other',
      'user_group.create other',
    ]);
    expect(await actions('würth', { types: 'user_group.create' })).toHaveLength(1);
    expect(await actions('würth', { to: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await actions('nowhere')).toEqual([]);
    expect(await actions('')).toHaveLength(4);
  });

  test('an export has every event that a list has, and none of another workspace', async () => {
    const { api } = await TestWorkspace.create(service, 'export');
    const other = await TestWorkspace.create(service, 'export of others');
    await api.put({ user_group_id: 'mine', name: 'Mine' });
    await other.put('theirs');
    const { found } = await list(api, { limit: '1' });
    const all = await exported(api, {});
    expect(all).toEqual(found);
    expect(JSON.stringify(all)).not.toContain('theirs');
    const [{ actor }] = all as [AuditEventView];
    const byToken = await exported(api, { api_token_id: actor.api_token_id });
    expect(byToken.length).toBeGreaterThan(0);
    expect(await exported(api, { api_token_id: 999_999_999 })).toEqual([]);
  });

  test('a search looks at a bounded number of events for each page, and misses none', async () => {
    const { api } = await TestWorkspace.create(service, 'bounded');
    await api.put({ user_group_id: 'needle 1', name: 'N' });
    const [workspace] = await service.query<{ id: number }>(
      "SELECT id FROM workspace WHERE name = 'bounded'",
    );
    const now = Date.now();
    const rows = Array.from(
      { length: 2500 },
      (_, index) =>
        `(${index + 1}, ${workspace!.id}, ${now + index - (index % 7)}, 'user_group.create', 'operator', 'user_group', 'hay ${index}')`,
    );
    await changeDatabase(
      service.database,
      `INSERT INTO audit_event (public_id, workspace_id, occurred_at, action, actor_type, object_type, object_id) VALUES ${rows.join()}`,
    );
    const query = { search: 'NEEDLE', types: 'user_group.create' };
    const { found, pages } = await list(api, query);
    expect([found.map(({ object }) => object!.id), pages]).toEqual([['needle 1'], [0, 0, 1]]);
    expect(await exported(api, query)).toEqual(found);
    expect(await exported(api, { types: 'user_group.create' })).toHaveLength(2501);
  });

  test('a filter that no index finds examines so many events a call, however few it finds', async () => {
    const { api } = await TestWorkspace.create(service, 'rare');
    const [workspace] = await service.query<{ id: number }>(
      "SELECT id FROM workspace WHERE name = 'rare'",
    );
    const numbers = {
      sqlite:
        'WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 21000)',
      postgres: 'WITH n AS (SELECT generate_series(1, 21000) AS value)',
    }[kind];
    const now = Date.now();
    await changeDatabase(
      service.database,
      `${numbers} INSERT INTO audit_event (public_id, workspace_id, occurred_at, action, actor_type, object_type, object_id)
       SELECT value, ${workspace!.id}, ${now} + value / 7, CASE WHEN value IN (5, 15000) THEN 'schema.create' ELSE 'user_group.create' END,
         'service', CASE WHEN value IN (5, 15000) THEN 'schema' ELSE 'user_group' END, CAST(value AS varchar(20)) FROM n`,
    );
    // The planner sees a workspace with a long log.
    const asLong = 'ALTER TABLE audit_event ALTER workspace_id SET (n_distinct = 1)';
    if (kind === 'postgres') await changeDatabase(service.database, asLong);
    await changeDatabase(service.database, 'ANALYZE');
    roundTrips.length = 0;
    const rare = await list(api, { types: 'schema.create', object_type: 'schema' });
    expect(rare.found.map(({ object }) => object!.id)).toEqual(['15000', '5']);
    const pages = Array.from({ length: 22 }, (_, page) => (page === 6 || page === 20 ? 1 : 0));
    expect(rare.pages).toEqual(pages);
    for (const sql of roundTrips.flat().filter((one) => one.includes('FROM audit_event'))) {
      const plan = await planOf(service, sql);
      expect([sql, plan.join('\n')]).toEqual([
        sql,
        expect.stringContaining('audit_event_workspace_id_occurred_at_idx'),
      ]);
      expect([sql, wasteIn(plan)]).toEqual([sql, []]);
    }
    expect(await exported(api, { types: 'schema.create' })).toEqual(rare.found);
    expect((await list(api, { types: 'user_group.create', limit: '200' })).pages).toHaveLength(105);
  });

  test.each([
    [{ search: 7 }, '/search', 'type'],
    [{ search: '\0' }, '/search', 'nul_character'],
    [{ api_token_id: '1' }, '/api_token_id', 'type'],
    [{ from: 'today' }, '/from', 'not_acceptable'],
    [{ limit: 1 }, '/limit', 'unknown'],
  ])('an export of %j is refused', async (filters, pointer, code) => {
    const { status, body } = await service.api.call('POST', EXPORT, filters);
    expect([status, body.errors[0]]).toEqual([422, expect.objectContaining({ pointer, code })]);
  });
});
