import type { Answer, ApiClient } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { exportGroups, importGroups } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';

/** The limit of a page, and one entry without its large part. */
const MAX_BYTES = 256 * 1024 + 32 * 1024;

onEachDatabase((kind) => {
  const service = withService(kind);
  // A name that looks like properties is no place for them.
  const name = 'a "properties":{} of another';
  const large = Array.from({ length: 60 }, (_, n) => ({
    user_group_id: `group ${n}`,
    name,
    mapping: { properties: 0, suspended_at: 'x' },
    properties: {
      text: `${n} `.repeat(Math.floor(15_000 / `${n} `.length)),
      7: [[], {}],
      '': null,
    },
  }));
  const workspaceOf = async (workspace: string, groups: object[]) => {
    const api = service.clientOf(
      await service.issueToken(
        ['user-groups:read', 'user-groups:write', 'audit:read', 'admin'],
        workspace,
      ),
    );
    await importGroups(api, ...groups);
    return api;
  };

  test.each(['', '&sort=-created_at', '&search=group'])(
    'a page of large groups ends early, and the pages together have each as it is (%s)',
    async (query) => {
      const api = await workspaceOf(`groups${query}`, large);
      const pages = await walk(api, `/api/v1/user-groups?limit=200${query}`);
      expect(pages.length).toBeGreaterThan(3);
      const groups = pages.flatMap(({ body }) => body.user_groups);
      const ids = large.map(({ user_group_id: id }) => id);
      expect(groups.map(({ provided_id: id }) => id).sort()).toEqual(ids.sort());
      const [some] = groups;
      const one = await api.call(
        'GET',
        `/api/v1/user-groups/${encodeURIComponent(some!.provided_id)}`,
      );
      expect(JSON.stringify(some)).toBe(JSON.stringify(one.body.user_group));
      expect(some!.name).toBe(name);
    },
  );

  test('a page of small groups has as many as are asked for, however it is read', async () => {
    const small = Array.from({ length: 130 }, (_, n) => ({ user_group_id: `small ${n}`, name }));
    const api = await workspaceOf('small', small);
    const pages = await walk(api, '/api/v1/user-groups?limit=120');
    expect(pages.map(({ body }) => body.user_groups.length)).toEqual([120, 10]);
  });

  test('a page of large audit events ends early, and the pages together have each once', async () => {
    const api = await workspaceOf(
      'audit',
      large.map((group) => ({ ...group, properties: { text: 'x'.repeat(4000) } })),
    );
    await importGroups(
      api,
      ...large.map((group) => ({ ...group, properties: { text: 'y'.repeat(4000) } })),
    );
    const pages = await walk(api, '/api/v1/audit-events?limit=200');
    expect(pages.length).toBeGreaterThan(1);
    const ids = pages.flatMap(({ body }) => body.audit_events.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(2 * large.length);
  });

  test('an export has every large group once', async () => {
    const api = await workspaceOf('export', large);
    const lines = await exportGroups(api, { include_tokens: false });
    expect(lines.slice(0, -1).map(({ provided_id: id }) => id)).toEqual(
      large.map(({ user_group_id: id }) => id),
    );
    expect(lines.at(-1)).toEqual({ summary: { exported: large.length, complete: true } });
  });
});

/** All pages of a list, none of which is large. */
async function walk(api: ApiClient, path: string): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let from = ''; ;) {
    const page = await api.call('GET', `${path}${from}`);
    expect([page.status, page.body.code]).toEqual([200, undefined]);
    expect(Buffer.byteLength(page.text)).toBeLessThan(MAX_BYTES);
    pages.push(page);
    if (!('next_cursor' in page.body)) return pages;
    from = `&cursor=${page.body.next_cursor}`;
  }
}
