import { onEachDatabase } from '../support/database/databases.ts';
import { callOf, describeOperations } from '../support/api/every-operation.ts';
import { withService } from '../support/test-service.ts';

/** Ignore their query: as unknown fields of a body, and as the query of a viewer that a gateway copies. */
const IGNORES = new Set(['/api/v1/introspect', '/api/v1/forward-auth']);

onEachDatabase((kind) => {
  const service = withService(kind);

  const recorded = async () => {
    const audited = await service.query(
      "SELECT id, action FROM audit_event WHERE action <> 'api_token.use'",
    );
    return { audited, changed: await service.query('SELECT id FROM change_event') };
  };

  test.each(['dry_run=true', 'x=1', 'x', 'x=1&x=2'])(
    '?%s does nothing, in every operation',
    async (query) => {
      // The calls of the examples name things by the id 1.
      expect(
        (await service.api.call('PUT', '/api/v1/user-groups/1', { name: 'kept' })).status,
      ).toBeLessThan(300);
      const before = await recorded();
      const [name] = query.split('=');
      const wrong: string[] = [];
      const operations = (await describeOperations()).filter(({ path }) =>
        path.startsWith('/api/v1/'),
      );
      expect(operations.length).toBeGreaterThan(50);
      for (const operation of operations) {
        if (IGNORES.has(operation.path)) continue;
        if (
          operation.parameters.some(
            (parameter) => parameter.in === 'query' && parameter.name === name,
          )
        ) {
          continue;
        }
        const call = callOf(operation);
        const { status, text } = await service.api.send({
          ...call,
          path: withQuery(call.path!, query),
        });
        const refusal = `"in":"query","parameter":"${name}","code":"unknown"`;
        if (status !== 422 || !text.includes(refusal)) {
          wrong.push(`${operation.method} ${operation.path} ${status} ${text}`);
        }
      }
      expect(wrong).toEqual([]);
      expect(await recorded()).toEqual(before);
    },
  );

  test('introspection and the contract ignore a query', async () => {
    const { id, token } = await service.api.create();
    const introspected = await service.api.call('POST', '/api/v1/introspect?x=1', { token });
    const looked = await service.api.call('GET', '/api/user?x=1', { user_group_id: id });
    const written = await service.api.call('PUT', '/api/user?x=1', {
      user_group_id: id,
      name: 'written',
    });
    const rotated = await service.api.call('POST', '/api/user?x=1', { current_token: token });
    expect(introspected.body.active).toBe(true);
    expect([looked, written, rotated].map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
