import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { noteTokens } from '../../support/jest/leaks.ts';
import { until } from '../../support/time/until.ts';

const { service, begin } = withConsole('sqlite');

const path = '/api/v1/user-groups/acme';

test('an error of a mapping marks its data source or its schema, and the focus goes there', async () => {
  const { page, api } = await begin();
  await api.call('POST', '/api/v1/schemas', { provided_id: 'sales', name: 'Sales' });
  await api.call('POST', '/api/v1/data-sources', { provided_id: 'warehouse', name: 'Warehouse' });
  await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
  await api.call('PATCH', '/api/v1/workspace', { mapping_policy: 'registered' });
  await page.visit('groups/acme');
  await page.button('Edit').click();
  await page.field('Data source 1').fill('nowhere');
  await page.button('Save').click();
  await page.shows('No data source of the workspace has the id');
  page.takeRefusal(422);
  expect(await page.getsFocus(page.field('Data source 1'))).toBe(true);
  const marked = (name: string) => page.field(name).getAttribute('aria-invalid');
  expect(await page.read('true', () => marked('Data source 1').then(String))).toBe('true');
  expect(await marked('Schema 1')).toBeNull();

  await page.field('Data source 1').fill('warehouse');
  await page.field('Schema 1').fill('nothing');
  await page.button('Save').click();
  await page.shows('No schema of the workspace has this id.');
  page.takeRefusal(422);
  expect(await page.getsFocus(page.field('Schema 1'))).toBe(true);
  expect(await marked('Data source 1')).toBeNull();

  await page.button('Add an entry').click();
  await page.field('Schema 2').fill('nothing');
  await page.shows('Another row has this name.');
  expect(await page.read('true', () => marked('Schema 2').then(String))).toBe('true');
  expect(await marked('Data source 2')).toBeNull();
});

test('the audit log names API tokens beyond those that its filter offers, each with one call', async () => {
  const { page, api } = await begin();
  const tokens = new Map<number, string>();
  for (let no = 0; no < 203; no++) {
    const body = { name: `program ${no}`, scopes: ['user-groups:write'] };
    const { id, token } = (await api.call('POST', '/api/v1/api-tokens', body)).body.api_token;
    noteTokens(token);
    tokens.set(id, token);
  }
  const first = (await api.call('GET', '/api/v1/api-tokens?limit=200')).body;
  const next = `/api/v1/api-tokens?limit=200&cursor=${first.next_cursor}`;
  const beyond: { id: number; name: string }[] = (await api.call('GET', next)).body.api_tokens;
  const [early, late] = beyond.filter(({ id }) => tokens.has(id));
  const writeGroups = async ({ id }: { id: number }, count: number) => {
    const own = service.clientOf(tokens.get(id) ?? '');
    for (let no = 0; no < count; no++) {
      const name = `g${id}-${no}`;
      expect((await own.call('PUT', `/api/v1/user-groups/${name}`, { name })).status).toBe(201);
    }
  };
  await writeGroups(early!, 1);
  await writeGroups(late!, 50);
  const calls: string[] = [];
  page.tab.on('request', (request) => {
    const [, id] = /api-tokens\/(\d+)$/.exec(request.url()) ?? [];
    if (id) calls.push(id);
  });
  await page.visit('audit?object_type=user_group');
  await page.row(`${late!.name} created`).first().waitFor();
  await page.button('Load more').click();
  await page.row(`${early!.name} created`).waitFor();
  expect(calls).toEqual([late!.id, early!.id].map(String));
});

test('the reason of a token is a few lines high on a phone', async () => {
  const { page, api } = await begin({ width: 390 });
  await createGroup(api, 'acme');
  const body = { kinds: ['user_group_token'], reason: 'a backup was lost' };
  await api.call('POST', '/api/v1/workspace/end-tokens', body);
  await page.visit('groups/acme');
  const reason = page.row('No. 1').getByText('ended together with others');
  await reason.waitFor();
  const isLow = async () => (await reason.boundingBox())!.height < 90;
  expect(await page.read(true, isLow)).toBe(true);
  expect(await page.read(0, () => page.overhang())).toBe(0);
});

test('the details of an event have its object, which a list on a phone leaves out', async () => {
  const { page, api } = await begin({ width: 390 });
  await createGroup(api, 'acme');
  await page.visit('audit?types=user_group.create');
  const row = page.tab.locator('tbody tr').filter({ hasText: 'created acme' });
  await row.waitFor();
  const link = page.tab.getByRole('link', { name: 'acme' });
  expect(await page.read(0, () => link.count())).toBe(0);
  await row.getByRole('button').click();
  expect(await page.read(0, () => page.overhang())).toBe(0);
  await link.click();
  await page.comesTo('groups/acme');
});

test('the variable after one that is removed stays as it is', async () => {
  const { page, api } = await begin();
  const variables = ['region', 'tier'].map((name) => ({ name, type: 'string', required: false }));
  await api.call('PATCH', '/api/v1/workspace', { variables });
  await page.visit('registry/variables');
  await page.button('Edit variables').click();
  const rows = page.dialog('Edit variables').locator('details');
  await rows.first().locator('summary').click();
  await page.button('Remove variable 1').click();
  await rows.filter({ hasText: 'region' }).waitFor({ state: 'detached' });
  expect(await page.read([null], () => openOf())).toEqual([null]);
  expect(await page.getsFocus(page.dialog('Edit variables').locator('form'))).toBe(true);
  await page.press('Escape');
  await page.button('Keep editing').click();
  await page.button('Variable').click();
  expect(await page.read([null, ''], () => openOf())).toEqual([null, '']);
  expect(await page.getsFocus(rows.last().getByLabel('Name'))).toBe(true);

  function openOf() {
    return rows.all().then((all) => Promise.all(all.map((one) => one.getAttribute('open'))));
  }
});

test('changes that do not overlap are merged, and only what both have changed is asked about', async () => {
  const { page, api } = await begin();
  const properties = { region: 'EMEA', seats: 25, odd: { deep: [1, 2] } };
  await createGroup(api, 'acme', { mapping: { sales: 'old' }, properties });
  const stored = async () => (await api.call('GET', path)).body.user_group;
  await page.visit('groups/acme');
  await page.button('Edit').click();
  await page.field('Name').fill('Mine');
  await page.json('Properties').check();
  await page.tab
    .getByLabel('Properties', { exact: true })
    .last()
    .fill('{"seats": 26, "region": "EMEA", "odd": {"deep": [1,2]}, "new": true}');
  const theirs = { region: 'APAC', seats: 25, odd: { deep: [1, 2] }, theirs: 1.5 };
  await api.put({
    user_group_id: 'acme',
    name: 'acme',
    mapping: { sales: 'new' },
    properties: theirs,
  });
  await page.button('Save').click();
  await page.shows('saved, with what somebody else has changed meanwhile');
  page.takeRefusal(412);
  const merged = {
    name: 'Mine',
    mapping: { sales: 'new' },
    properties: { region: 'APAC', seats: 26, odd: { deep: [1, 2] }, theirs: 1.5, new: true },
  };
  expect(await stored()).toMatchObject(merged);
  await page.button('Undo').click();
  await page.shows('Undone');
  expect(await stored()).toMatchObject({ name: 'acme', properties: theirs });

  await page.visit('groups/acme');
  await page.button('Edit').click();
  await page.field('Name').fill('Mine');
  await page.field('Value of property 1').fill('LATAM');
  await api.put({
    user_group_id: 'acme',
    name: 'acme',
    mapping: { sales: 'newer' },
    properties: { ...theirs, region: 'MEA' },
  });
  await page.button('Save').click();
  await page.shows('Both of you changed the same.');
  page.takeRefusal(412);
  await page.dialog('Edit').getByText('properties.region').waitFor();
  await page.button('Take theirs').click();
  expect(await page.read('MEA', () => page.field('Value of property 1').inputValue())).toBe('MEA');
  expect(await page.read('Mine', () => page.field('Name').inputValue())).toBe('Mine');
  await page.button('Save').click();
  await page.heading('Mine').waitFor();
  expect(await stored()).toMatchObject({
    name: 'Mine',
    mapping: { sales: 'newer' },
    properties: { ...theirs, region: 'MEA' },
  });
});

test('the events of an endpoint are narrowed to those that wait or failed, and it is named by its description', async () => {
  const { page, api } = await begin();
  const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
    url: 'http://127.0.0.2:9/hook',
    description: 'Billing',
    event_types: ['user_group.*'],
  });
  const { id } = body.webhook_endpoint;
  await createGroup(api, 'acme');
  await until(async () => {
    const { text } = await api.call('GET', `/api/v1/webhook-endpoints/${id}`);
    return !text.includes('"failing_since":null');
  });
  await page.visit();
  await page.shows('webhook endpoint gets no events: Billing.');
  await page.visit(`webhooks/${id}`);
  await page.shows('1 pending of the events kept');
  const state = page.tab.getByRole('combobox', { name: 'Delivery' });
  await state.selectOption('failed');
  await page.shows('No event is failed');
  expect(await page.read(0, () => page.row('user_group.create').count())).toBe(0);
  await state.selectOption('pending');
  await page.row('user_group.create').waitFor();
  await page.comesTo(`webhooks/${id}?delivery=pending`);
});

test('a variable is a row that opens, and one that would stop groups can get a default', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  const variables = ['region', 'tier'].map((name) => ({ name, type: 'string', required: false }));
  await api.call('PATCH', '/api/v1/workspace', { variables });
  await page.visit('registry/variables');
  await page.button('Edit variables').click();
  const dialog = page.dialog('Edit variables');
  const second = dialog.getByRole('group', { name: 'Variable 2' });
  await second.locator('summary').filter({ hasText: 'tier string, it is null' }).waitFor();
  expect(await page.read(0, () => page.field('Name').filter({ visible: true }).count())).toBe(0);
  await page.tabTo(second.locator('summary'));
  await page.press('Enter');
  await second.getByRole('combobox', { name: 'If missing' }).selectOption('required');
  await page.button('Preview').click();
  await page.shows('1 group would become inactive');
  expect(await page.accessibilityViolations()).toEqual([]);
  await page.button('Give what is new a default instead').click();
  expect(await page.getsFocus(second.getByLabel('Default', { exact: true }))).toBe(true);
  await second.getByLabel('Default', { exact: true }).fill('gold');
  await page.button('Preview').click();
  await page.shows('Nothing would break');
  await page.button('Save').click();
  await page.shows('Variables and required schemas saved');
  const { text } = await api.call('GET', '/api/v1/workspace');
  const { workspace } = JSON.parse(text) as { workspace: { variables: object[] } };
  expect(workspace.variables).toMatchObject([
    { name: 'region' },
    { name: 'tier', required: false, default: 'gold' },
  ]);

  // A field that is wrong is unfolded.
  await page.button('Edit variables').click();
  await second.locator('summary').click();
  await second.getByLabel('Name').fill('region');
  await second.locator('summary').click();
  await page.button('Preview').click();
  await second.getByText('It is listed twice.').waitFor();
  page.takeRefusal(422);
  expect(await page.getsFocus(second.getByLabel('Name'))).toBe(true);
  await second.getByLabel('Name').fill('');
  await second.locator('summary').click();
  await page.button('Preview').click();
  expect(await page.getsFocus(second.getByLabel('Name'))).toBe(true);
});

test('an empty part of a group has the way to fill it', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  await page.visit('groups/acme');
  for (const name of ['Add a mapping', 'Add properties']) {
    await page.button(name).click();
    await page.dialog('Edit').waitFor();
    await page.press('Escape');
    await page.dialog('Edit').waitFor({ state: 'detached' });
    expect(await page.getsFocus(page.button(name))).toBe(true);
  }
});

test('each workspace has its own colour beside its name', async () => {
  const colours = await Promise.all(
    ['default', 'staging'].map(async (workspace) => {
      const { page } = await begin({ workspace });
      await page.visit();
      const mark = page.tab.locator('.brand').filter({ hasText: workspace }).locator('.workspace');
      return mark.getAttribute('style');
    }),
  );
  expect(colours).toEqual([
    expect.stringContaining('background'),
    expect.stringContaining('background'),
  ]);
  expect(new Set(colours).size).toBe(2);
});
