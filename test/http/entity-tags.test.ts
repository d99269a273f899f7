import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { databaseKinds } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const V1 = '/api/v1';
const ENDPOINT = { url: 'https://receiver.example/hooks', event_types: ['*'] };

/** A resource with PATCH: how a test makes one, and two changes of it. */
interface Resource {
  make: (api: ApiClient) => Promise<string>;
  changes: [object, object];
}

const resources: Record<string, Resource> = {
  [`${V1}/user-groups/{id}`]: {
    make: async (api) => (await api.create()).path,
    changes: [{ name: 'First' }, { name: 'Second' }],
  },
  [`${V1}/api-tokens/{id}`]: {
    make: (api) => pathOf(api, `${V1}/api-tokens`, { name: 'Before', scopes: ['audit:read'] }),
    changes: [{ scopes: ['events:read'] }, { name: 'Second' }],
  },
  [`${V1}/schemas/{id}`]: {
    make: (api) => pathOf(api, `${V1}/schemas`, { provided_id: 'sales', name: 'Before' }),
    changes: [{ name: 'First' }, { name: 'Second' }],
  },
  [`${V1}/data-sources/{id}`]: {
    make: (api) => pathOf(api, `${V1}/data-sources`, { provided_id: 'warehouse', name: 'Before' }),
    changes: [{ name: 'First' }, { name: 'Second' }],
  },
  [`${V1}/webhook-endpoints/{id}`]: {
    make: (api) => pathOf(api, `${V1}/webhook-endpoints`, ENDPOINT),
    changes: [{ description: 'First' }, { enabled: false }],
  },
  [`${V1}/workspace`]: {
    make: () => Promise.resolve(`${V1}/workspace`),
    changes: [
      { embed_token_audiences: ['first'] },
      { variables: [{ name: 'region', type: 'string', required: true }] },
    ],
  },
};

async function pathOf(api: ApiClient, path: string, body: object): Promise<string> {
  const { status, headers } = await api.call('POST', path, body);
  expect(status).toBe(201);
  return headers['location'] as string;
}

test('every resource with PATCH has a row', async () => {
  const { paths } = await describeOpenApi();
  const patched = Object.keys(paths).filter((path) => paths[path]!.patch);
  expect(patched.toSorted()).toEqual(Object.keys(resources).toSorted());
});

describe.each(databaseKinds)('entity tags on %s', (database) => {
  const service = withService(database);

  describe.each(Object.entries(resources))('of %s', (_path, { make, changes }) => {
    let path: string;
    let tag: string;
    const get = (headers = {}) => service.api.call('GET', path, undefined, headers);
    const patch = (change: object, headers = {}) =>
      service.api.call('PATCH', path, change, headers);

    beforeAll(async () => {
      path = await make(service.api);
      tag = (await get()).headers['etag'] as string;
    });

    test('a read names the state, and says so again until it changes', async () => {
      expect(tag).toMatch(/^(W\/)?"[\w.-]+"$/);
      const again = await get({ 'If-None-Match': tag });
      expect([again.status, again.headers['etag']]).toEqual([304, tag]);
      expect((await get({ 'If-Match': tag })).status).toBe(200);
    });

    test('of two writes that expect the same state one is stored', async () => {
      const states = await Promise.all(changes.map((change) => patch(change, { 'If-Match': tag })));
      const stored = states.filter(({ status }) => status === 200);
      const refused = states.filter(({ status }) => status === 412);
      expect([stored.length, refused.map(({ body }) => body.code)]).toEqual([
        1,
        ['precondition_failed'],
      ]);
      const present = await get();
      expect(present.headers['etag']).not.toBe(tag);
      expect([stored[0]!.headers['etag'], stored[0]!.body]).toEqual([
        present.headers['etag'],
        present.body,
      ]);
    });

    test('a write with the present state is stored, weak or not', async () => {
      for (const change of changes) {
        const present = (await get()).headers['etag'] as string;
        const { status } = await patch(change, { 'If-Match': `W/${present.replace('W/', '')}` });
        expect(status).toBe(200);
      }
    });

    test('a condition that is not a tag is refused', async () => {
      const { status, body } = await patch(changes[0], { 'If-Match': 'first' });
      expect([status, body.code]).toEqual([400, 'precondition_malformed']);
    });
  });

  test('a use of an API token does not change its tag', async () => {
    const { body } = await service.api.call('POST', `${V1}/api-tokens`, {
      name: 'Used',
      scopes: ['admin'],
    });
    const { id, token } = body.api_token;
    const path = `${V1}/api-tokens/${id}`;
    const { headers } = await service.api.call('GET', path);
    await service.clientOf(token).call('GET', path);
    await until(
      async () => (await service.api.call('GET', path)).body.api_token.last_used_at !== null,
    );
    expect((await service.api.call('GET', path)).headers['etag']).toBe(headers['etag']);
  });

  test('a deletion that expects another state is refused', async () => {
    for (const template of ['schemas', 'data-sources', 'webhook-endpoints']) {
      const path =
        template === 'webhook-endpoints'
          ? await pathOf(service.api, `${V1}/${template}`, ENDPOINT)
          : await pathOf(service.api, `${V1}/${template}`, { provided_id: 'spare', name: 'Spare' });
      const headers = { 'If-Match': '"another"' };
      expect((await service.api.call('DELETE', path, undefined, headers)).status).toBe(412);
      const tag = (await service.api.call('GET', path)).headers['etag'] as string;
      expect((await service.api.call('DELETE', path, undefined, { 'If-Match': tag })).status).toBe(
        200,
      );
    }
  });
});
