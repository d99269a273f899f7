import { onEachDatabase } from '../support/database/databases.ts';
import { registryBody, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `own-${++count}`);
  });

  const write = async (mapping: object, id = 'g') =>
    (await own.put(id, { mapping })).body.user_group.token;
  const introspect = async (token: string, schemaId?: string) => {
    const { mapping, unmapped } = registryBody(await own.introspect(token, schemaId));
    return { mapping, unmapped };
  };

  test('under open a mapping is described as it was sent', async () => {
    await own.schema('sales');
    const token = await write({ sales: 'w', billing: 42 });
    expect(await introspect(token)).toEqual({
      mapping: { sales: 'w', billing: 42 },
      unmapped: undefined,
    });
    expect(await introspect(token, 'billing')).toEqual({ mapping: { billing: 42 }, unmapped: [] });
    for (const schema of ['gone', 'Sales', '__proto__', 'constructor', "' OR 1=1"]) {
      expect(await introspect(token, schema)).toEqual({ mapping: {}, unmapped: [schema] });
    }
  });

  test('under registered it is resolved, and what has no data source is named', async () => {
    const sales = await own.schema('sales');
    const billing = await own.schema('billing');
    await own.schema('__proto__');
    const id = await own.dataSource('warehouse');
    await own.set({ mapping_policy: 'registered' });
    const source = { id, provided_id: 'warehouse', name: 'name of warehouse' };
    const token = await write({ [sales]: id });
    expect(await introspect(token)).toEqual({
      mapping: { sales: source },
      unmapped: ['__proto__', 'billing'],
    });
    for (const schema of ['sales', String(sales)]) {
      expect(await introspect(token, schema)).toEqual({ mapping: { sales: source }, unmapped: [] });
    }
    for (const schema of ['billing', String(billing)]) {
      expect(await introspect(token, schema)).toEqual({ mapping: {}, unmapped: ['billing'] });
    }
    for (const schema of ['gone', `0${sales}`, 'Sales', 'constructor', '999999']) {
      expect(await introspect(token, schema)).toEqual({ mapping: {}, unmapped: [schema] });
    }
    const hostile = await own.api.put(
      `{"user_group_id":"h","name":"H","mapping":{"__proto__":"warehouse"}}`,
    );
    const { text } = await own.introspect(hostile.body.user_group.token, '__proto__');
    expect(text).toContain(`"mapping":{"__proto__":${JSON.stringify(source)}},"unmapped":[]`);
  });

  test('a group without a mapping has every schema unmapped, and a workspace without schemas none', async () => {
    await own.set({ mapping_policy: 'registered' });
    const token = await write({});
    expect(await introspect(token)).toEqual({ mapping: {}, unmapped: [] });
    await own.schema('b');
    await own.schema('a');
    expect(await introspect(token)).toEqual({ mapping: {}, unmapped: ['a', 'b'] });
  });

  test('it follows the registry, the policy and the mapping at once', async () => {
    const schema = await own.schema('sales');
    const id = await own.dataSource('w');
    const token = await write({ sales: 'w' });
    await own.set({ mapping_policy: 'registered' });
    await own.api.call('PATCH', `/api/v1/data-sources/${id}`, { name: 'Renamed' });
    expect(await introspect(token)).toEqual({
      mapping: { sales: { id, provided_id: 'w', name: 'Renamed' } },
      unmapped: [],
    });
    await own.put('g', { mapping: {} });
    expect(await introspect(token)).toEqual({ mapping: {}, unmapped: ['sales'] });
    await own.api.call('DELETE', `/api/v1/schemas/${schema}`);
    expect(await introspect(token)).toEqual({ mapping: {}, unmapped: [] });
    await own.set({ mapping_policy: 'open' });
    expect(await introspect(token)).toEqual({ mapping: {}, unmapped: undefined });
  });

  test('the schema can be asked for by a form, and an inactive token stays without a word', async () => {
    const token = await write({ sales: 'w', 'a b': 1 });
    const form = await own.api.call(
      'POST',
      '/api/v1/introspect',
      `token=${token}&schema_id=a+b`,
      FORM,
    );
    expect(registryBody(form)).toMatchObject({ mapping: { 'a b': 1 }, unmapped: [] });
    const inactive = await own.introspect(`ugt_${'0'.repeat(38)}`, 'sales');
    expect(inactive.text).toBe('{"active":false}');
  });

  test.each<[string, unknown, string]>([
    ['a number', 7, 'type'],
    ['null', null, 'type'],
    ['nothing', '', 'empty'],
    ['too much', 'x'.repeat(256), 'too_long'],
  ])('%s is no schema id', async (_name, schema_id, code) => {
    const answer = await own.api.call('POST', '/api/v1/introspect', { token: 'x', schema_id });
    expect([answer.status, answer.body.errors[0]!.code]).toEqual([422, code]);
  });
});
