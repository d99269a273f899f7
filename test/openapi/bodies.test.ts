import { onEachDatabase } from '../support/databases.ts';
import { callWithField, describeOperations } from '../support/every-operation.ts';
import { withService } from '../support/test-service.ts';

/** Ignores other parameters, as RFC 7662 (section 2.1) and RFC 6749 (section 3.2) require. */
const LENIENT = '/api/v1/introspect';

onEachDatabase((kind) => {
  const service = withService(kind);

  test('every body refuses one field that it does not know, and names it', async () => {
    const bodies = (await describeOperations()).filter(
      ({ path, mediaType }) => path.startsWith('/api/v1/') && mediaType !== undefined,
    );
    expect(bodies.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const operation of bodies.filter(({ path }) => path !== LENIENT)) {
      const { method, path } = operation;
      const { text } = await service.api.send(callWithField(operation, { no_such_field: 1 }));
      const refusal = '"pointer":"/no_such_field","code":"unknown"';
      if (!text.includes(refusal)) wrong.push(`${method} ${path} ${text}`);
    }
    expect(wrong).toEqual([]);
  });

  test('a misspelt grace period leaves the token as it is', async () => {
    const { path, token } = await service.api.create();
    const refused = await service.api.call('POST', `${path}/tokens/rotate`, { grace_period: 600 });
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    expect(await service.api.isActive(token)).toBe(true);
  });

  test('introspection ignores what it does not know, as JSON and as a form', async () => {
    const { token } = await service.api.create();
    const json = { token, no_such_field: 1 };
    expect((await service.api.call('POST', LENIENT, json)).body.active).toBe(true);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const sent = await service.api.call('POST', LENIENT, `token=${token}&no_such_field=1`, form);
    expect(sent.body.active).toBe(true);
  });
});
