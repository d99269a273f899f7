import { countInParts } from '../../src/platform/common/http/parameters/total.ts';
import { type Answer, NDJSON } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

/** More than one call examines with a filter, and not a multiple of it. */
const GROUPS = 2345;
const GROUPS_PATH = '/api/v1/user-groups';
const TOKENS_PATH = '/api/v1/api-tokens';

interface Page {
  has_more: boolean;
  next_cursor?: string;
  total?: { count: number; exact: boolean };
}

test('counting ends after two seconds, with what it has counted', async () => {
  const total = await countInParts<number>((end = 0) =>
    Promise.resolve({ count: 3, end: end + 1 }),
  );
  expect(total).toEqual({ count: expect.any(Number), exact: false });
  expect(total.count % 3).toBe(0);
});

onEachDatabase((kind) => {
  const service = withService(kind);
  const pageOf = ({ status, text }: Answer): Page => {
    expect([status, text]).toEqual([200, expect.any(String)]);
    return JSON.parse(text) as Page;
  };

  /** The entries on all pages, which a total has to equal. */
  const countPages = async (path: string, name: string, query: Record<string, string>) => {
    let count = 0;
    for (let cursor: string | undefined, hasMore = true; hasMore;) {
      const parameters = new URLSearchParams({
        ...query,
        limit: '200',
        ...(cursor !== undefined && { cursor }),
      });
      const answer = await service.api.call('GET', `${path}?${String(parameters)}`);
      const page = pageOf(answer);
      expect(page).not.toHaveProperty('total');
      count += (JSON.parse(answer.text) as Record<string, unknown[]>)[name]!.length;
      hasMore = page.has_more;
      cursor = page.next_cursor;
    }
    return count;
  };
  const totalOf = async (path: string, query: Record<string, string>) => {
    const parameters = new URLSearchParams({ ...query, limit: '1', count: 'true' });
    return pageOf(await service.api.call('GET', `${path}?${String(parameters)}`)).total;
  };

  describe('of user groups', () => {
    beforeAll(async () => {
      const lines = Array.from({ length: GROUPS }, (_, index) => ({
        provided_id: `group ${index}`,
        name: index % 7 === 0 ? `Größe ${index}` : `Group ${index}`,
        properties: { region: index % 3 === 0 ? 'EMEA' : 'APAC' },
        mapping: index % 100 === 0 ? { sales: 'unknown' } : {},
        suspended: index % 5 === 0,
      }));
      const ndjson = lines.map((line) => JSON.stringify(line)).join('\n');
      const { status } = await service.api.call('POST', `${GROUPS_PATH}/import`, ndjson, NDJSON);
      expect(status).toBe(200);
    });

    test.each<[Record<string, string>, number]>([
      [{}, GROUPS],
      [{ status: 'suspended' }, Math.ceil(GROUPS / 5)],
      [{ status: 'active', property_name: 'region', property_value: 'EMEA' }, 625],
      [{ property_name: 'seats' }, 0],
      [{ name_prefix: 'Größe' }, Math.ceil(GROUPS / 7)],
      [{ search: 'GRÖßE 1' }, 158],
      [{ search: 'größe 1', status: 'suspended' }, 32],
      [{ sort: '-name', status: 'suspended' }, Math.ceil(GROUPS / 5)],
    ])('%j', async (query, count) => {
      expect(await totalOf(GROUPS_PATH, query)).toEqual({ count, exact: true });
      expect(await countPages(GROUPS_PATH, 'user_groups', query)).toBe(count);
    });

    test('of another workspace are not counted', async () => {
      const api = service.clientOf(await service.issueToken(['user-groups:read'], 'elsewhere'));
      const page = pageOf(await api.call('GET', `${GROUPS_PATH}?count=true`));
      expect(page.total).toEqual({ count: 0, exact: true });
    });
  });

  test('of audit events', async () => {
    const count = await countPages('/api/v1/audit-events', 'audit_events', {
      types: 'user_group.create',
    });
    expect(count).toBe(GROUPS);
    const queries: Record<string, string>[] = [
      { types: 'user_group.create' },
      { search: 'group 12', types: 'user_group.*' },
    ];
    for (const query of queries) {
      const total = {
        count: await countPages('/api/v1/audit-events', 'audit_events', query),
        exact: true,
      };
      expect(await totalOf('/api/v1/audit-events', query)).toEqual(total);
      expect(total.count).toBeGreaterThan(100);
    }
  });

  test('of API tokens, by their state', async () => {
    const { body } = await service.api.call('POST', TOKENS_PATH, {
      name: 'old',
      scopes: ['audit:read'],
    });
    await service.api.call('POST', `${TOKENS_PATH}/${body.api_token.id}/rotate`, {
      grace_period_seconds: 3600,
    });
    for (const name of ['revoked', 'expired', 'active']) {
      const issued = await service.api.call('POST', TOKENS_PATH, { name, scopes: ['audit:read'] });
      const { id } = issued.body.api_token;
      if (name === 'revoked') await service.api.call('POST', `${TOKENS_PATH}/${id}/revoke`);
      if (name === 'expired') {
        await changeDatabase(
          service.database,
          `UPDATE api_token SET expires_at = ${Date.now()} WHERE id = ${id}`,
        );
      }
    }
    const all = (await service.api.call('GET', TOKENS_PATH)).body.api_tokens;
    for (const state of ['active', 'superseded', 'expired', 'revoked']) {
      const expected = all.filter((one) => one.state === state);
      const { body: found } = await service.api.call('GET', `${TOKENS_PATH}?state=${state}`);
      expect(found.api_tokens).toEqual(expected);
      expect(expected.length).toBeGreaterThan(0);
      expect(await totalOf(TOKENS_PATH, { state })).toEqual({
        count: expected.length,
        exact: true,
      });
    }
    expect(await totalOf(TOKENS_PATH, {})).toEqual({ count: all.length, exact: true });
    // It counts tokens, too.
    expect((await service.api.call('GET', '/api/v1/overview')).status).toBe(200);
    expect(await totalOf(TOKENS_PATH, {})).toEqual({ count: all.length, exact: true });
  });

  test.each([
    [TOKENS_PATH, 'state=ended', 'state'],
    [TOKENS_PATH, 'count=1', 'count'],
    [GROUPS_PATH, 'count=yes', 'count'],
    ['/api/v1/audit-events', 'count=', 'count'],
  ])('%s?%s is refused', async (path, query, parameter) => {
    const { status, body } = await service.api.call('GET', `${path}?${query}`);
    expect([status, body.errors.map((error) => error.parameter)]).toEqual([422, [parameter]]);
  });
});
