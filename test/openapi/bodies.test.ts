import { onEachDatabase } from '../support/database/databases.ts';
import { callWithField, describeOperations } from '../support/api/every-operation.ts';
import { withService } from '../support/test-service.ts';

const PATCH_TYPES = ['application/merge-patch+json', 'application/json'];

/** Ignores other parameters, as RFC 7662 (section 2.1), RFC 7009 (section 2.1) and RFC 6749 (section 3.2) require. */
const LENIENT = ['/api/v1/introspect', '/api/v1/revoke'];

/** The response comes before the lines are judged, and the result of a line names its fault. */
const IN_BACKGROUND = '/api/v1/bulk-jobs/import';

onEachDatabase((kind) => {
  const service = withService(kind);

  test('every body refuses one field that it does not know, and names it', async () => {
    const bodies = (await describeOperations()).filter(
      ({ path, mediaType }) => path.startsWith('/api/v1/') && mediaType !== undefined,
    );
    expect(bodies.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const operation of bodies.filter(({ path }) => !LENIENT.includes(path))) {
      const { method, path } = operation;
      const { text, body } = await service.api.send(callWithField(operation, { no_such_field: 1 }));
      // The pointer of a line begins with the number of the line.
      const refusal = /"pointer":"(\/1)?\/no_such_field","code":"unknown"/;
      const isRefused =
        path === IN_BACKGROUND
          ? (await resultsOf(body)).includes('"detail":"/no_such_field: ')
          : refusal.test(text);
      if (!isRefused) wrong.push(`${method} ${path} ${text}`);
    }
    expect(wrong).toEqual([]);
    const open = bodies.filter(({ refusesOthers }) => !refusesOthers).map(({ path }) => path);
    // A line of an import is also one of an export, to which later versions can add fields.
    expect(open.sort()).toEqual([IN_BACKGROUND, ...LENIENT, '/api/v1/user-groups/import']);
  });

  const resultsOf = async (body: object): Promise<string> => {
    const { id } = (body as { bulk_job: { id: number } }).bulk_job;
    return (await service.api.call('GET', `/api/v1/bulk-jobs/${id}/results`)).text;
  };

  test('a misspelt grace period leaves the token as it is', async () => {
    const { path, token } = await service.api.create();
    const refused = await service.api.call('POST', `${path}/tokens/rotate`, { grace_period: 600 });
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    expect(await service.api.isActive(token)).toBe(true);
  });

  test('every PATCH takes a JSON Merge Patch and JSON alike', async () => {
    const patches = (await describeOperations()).filter(({ method }) => method === 'PATCH');
    expect(patches.length).toBeGreaterThan(5);
    for (const operation of patches) {
      expect([operation.path, ...operation.mediaTypes]).toEqual([operation.path, ...PATCH_TYPES]);
      const call = callWithField(operation, {});
      const answers = [...PATCH_TYPES, 'text/plain'].map((type) =>
        service.api.send({ ...call, headers: { ...call.headers, 'Content-Type': type } }),
      );
      const [merged, json, refused] = await Promise.all(answers);
      expect([operation.path, merged!.status]).not.toEqual([operation.path, 415]);
      expect([operation.path, json!.status]).toEqual([operation.path, merged!.status]);
      expect([refused!.status, refused!.headers['accept-patch']]).toEqual([
        415,
        PATCH_TYPES.join(', '),
      ]);
    }
  });

  test('a JSON Merge Patch changes what it names, of each resource', async () => {
    const { api } = service;
    const post = async (path: string, body: object) =>
      Object.values((await api.call('POST', path, body)).body).find(isResource)!;
    const V1 = '/api/v1';
    const source = { provided_id: 'merged', name: 'before' };
    const paths = [
      (await api.create()).path,
      `${V1}/api-tokens/${(await post(`${V1}/api-tokens`, { name: 'before', scopes: ['admin'] })).id}`,
      `${V1}/schemas/${(await post(`${V1}/schemas`, source)).id}`,
      `${V1}/data-sources/${(await post(`${V1}/data-sources`, source)).id}`,
    ];
    const headers = { 'Content-Type': PATCH_TYPES[0]! };
    for (const path of paths) {
      const { status, text } = await api.call('PATCH', path, { name: 'after' }, headers);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('"name":"after"');
    }
    const body = { embed_token_audiences: ['merged'] };
    const { text } = await api.call('PATCH', `${V1}/workspace`, body, headers);
    expect(text).toContain('"embed_token_audiences":["merged"]');
  });

  test('introspection ignores what it does not know, as JSON and as a form', async () => {
    const { token } = await service.api.create();
    const json = { token, no_such_field: 1 };
    expect((await service.api.call('POST', LENIENT[0]!, json)).body.active).toBe(true);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const sent = await service.api.call(
      'POST',
      LENIENT[0]!,
      `token=${token}&no_such_field=1`,
      form,
    );
    expect(sent.body.active).toBe(true);
  });
});

function isResource(value: unknown): value is { id: number } {
  return typeof value === 'object' && value !== null && 'id' in value;
}
