import jsonwebtoken from 'jsonwebtoken';
import { bodies, SALES, SECRET } from '../../target/target-bodies.ts';
import type { ApiClient } from '../../support/api/api-client.ts';
import { byHandOn, type ConsolePage } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

const properties = { regions: ['EMEA', 'APAC'] };
const variables = [
  { name: 'regions', type: 'string[]', required: false },
  { name: 'secrets', type: 'string[]', required: false, is_secret: true },
  { name: 'name', type: 'string', required: false },
  { name: 'store.id', type: 'integer', required: true, source: 'token' },
  { name: 'open', type: 'boolean', required: false, source: 'token' },
  { name: 'days', type: 'date[]', required: false, source: 'token' },
];

const declareVariables = async (api: ApiClient) => {
  const { status } = await api.call('PATCH', '/api/v1/workspace', { variables });
  expect(status).toBe(200);
};
const choice = (page: ConsolePage, name: string) => page.tab.getByRole('combobox', { name });
const open = async (page: ConsolePage) => {
  await page.visit('groups/acme/view');
  await page.use(page.button('Issue an embed token'));
};
const introspect = async (api: ApiClient, token: string) =>
  JSON.parse((await api.call('POST', '/api/v1/introspect', { token })).text) as object;
const INSPECTED = ['Format', 'Viewer', 'Resources', 'Variables'];

onEachDatabase((kind) => {
  const { begin } = withConsole(kind);

  byHandOn(kind, (hand) => {
    test('a token names its viewer, its resources and its variables, which a browser cannot read', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme', { properties });
      await declareVariables(api);
      await open(page);
      await page.write(page.field('Audience'), 'dashboards');
      await page.select(choice(page, 'Format'), 'opaque');
      await page.write(page.field('User id'), 'u-17');
      await page.write(page.field('User name'), 'Ada Lovelace');
      await page.write(page.field('E-mail'), 'ada@acme.example');
      await page.write(page.field('Resources, one a line'), 'dashboard:sales\nchart:a:b');
      await page.write(page.field('regions'), 'APAC');
      await page.write(page.field('store.id'), '7');
      await page.write(page.field('open'), 'true');
      await page.write(page.field('days'), '2030-01-01\n2030-01-02');
      for (const name of ['secrets', 'name']) {
        expect(await page.read(0, () => page.field(name).count())).toBe(0);
      }
      await page.use(page.button('Issue'));
      await page.dialog('The embed token').waitFor();
      await page.shows(/in 600 seconds\. Only introspection reads it\./);
      const token = await page.readSecret();
      expect(await introspect(api, token)).toMatchObject({
        user_id: 'u-17',
        user_name: 'Ada Lovelace',
        email: 'ada@acme.example',
        resources: [
          { type: 'dashboard', id: 'sales' },
          { type: 'chart', id: 'a:b' },
        ],
        variables: {
          regions: ['APAC'],
          store: { id: 7 },
          open: true,
          days: ['2030-01-01', '2030-01-02'],
        },
      });
      await page.use(page.button('Done'));

      await page.visit('inspect');
      await page.write(page.field('Token'), token);
      await page.use(page.button('Inspect'));
      await page.shows('Accepted.');
      const fact = (name: string) =>
        page.tab.locator('.facts > div').filter({ has: page.tab.getByText(name, { exact: true }) });
      const told = await Promise.all(INSPECTED.map((name) => fact(name).locator('dd').innerText()));
      expect(told).toEqual([
        'opaque',
        'u-17, Ada Lovelace, ada@acme.example',
        'dashboard sales, chart a:b',
        expect.stringMatching(/regions.*store\.id/),
      ]);
      // Introspection alone has the values.
      expect(
        await page.read(expect.not.stringContaining('2030-01-02'), () =>
          page.tab.locator('main').innerText(),
        ),
      ).not.toContain('APAC');
    });
  });

  test('a target is chosen in place of a renderer, and decides the rest', async () => {
    const { page, api } = await begin();
    await createGroup(api, 'acme', { properties: { region: 'EMEA' } });
    await api.call('PUT', '/api/v1/targets/cube', { ...bodies.cube, max_seconds: 30 });
    await open(page);
    await choice(page, 'Token for').selectOption('cube');
    for (const name of ['Audience', 'Origin', 'Minutes', 'Format']) {
      expect(await page.read(0, () => page.field(name).count())).toBe(0);
    }
    await page.shows('Valid for 30 seconds at most. It cannot be revoked');
    await page.button('Issue').click();
    await page.dialog('The token of the target cube').waitFor();
    await page.shows(/nothing ends it before .*, in 30 seconds/);
    expect(jsonwebtoken.verify(await page.readSecret(), SECRET)).toMatchObject({ region: 'EMEA' });
  });

  test.each<[string, Record<string, string>, string]>([
    ['E-mail', { 'E-mail': 'ada@acme.example' }, 'must have id'],
    ['User id', { 'User id': 'a\u0085' }, 'control'],
    ['Resources, one a line', { 'Resources, one a line': 'dashboard:a\n7:x' }, '“7:x”'],
    ['regions', { regions: 'EMEA\nLATAM' }, 'does not have all'],
    ['store.id', { 'store.id': 'seven' }, 'integer'],
    ['days', { days: '2030-01-01\nsoon' }, '“soon”'],
  ])('a refusal is shown at the field %s', async (label, texts, words) => {
    const { page, api } = await begin();
    await createGroup(api, 'acme', { properties });
    await declareVariables(api);
    await open(page);
    await page.field('Audience').fill('dashboards');
    await choice(page, 'Format').selectOption('opaque');
    for (const [name, text] of Object.entries({ 'store.id': '7', ...texts })) {
      await page.field(name).fill(text);
    }
    await page.button('Issue').click();
    await page.tab.locator('dialog .wrong').filter({ hasText: words }).waitFor();
    page.takeRefusal(422);
    if (label !== 'E-mail') {
      expect(await page.read('true', () => page.field(label).getAttribute('aria-invalid'))).toBe(
        'true',
      );
    }
  });

  test('variables of a signed token are refused at the format', async () => {
    const { page, api } = await begin();
    await createGroup(api, 'acme', { properties });
    await declareVariables(api);
    await open(page);
    await page.field('Audience').fill('dashboards');
    await page.field('store.id').fill('7');
    await page.button('Issue').click();
    await page.tab.locator('dialog .wrong').filter({ hasText: 'need the format opaque' }).waitFor();
    page.takeRefusal(422);
    await choice(page, 'Format').selectOption('opaque');
    await page.button('Issue').click();
    await page.dialog('The embed token').waitFor();
  });

  test('a dialog closes at once while nothing is written, and asks afterwards', async () => {
    const { page, api } = await begin();
    await createGroup(api, 'acme', { properties });
    await declareVariables(api);
    await api.call('PUT', '/api/v1/targets/cube', bodies.cube);
    await open(page);
    await page.field('store.id').waitFor();
    await choice(page, 'Token for').waitFor();
    await page.press('Escape');
    await page.tab.locator('dialog').waitFor({ state: 'detached' });
    await page.button('Issue an embed token').click();
    await page.field('store.id').fill('7');
    await page.press('Escape');
    await page.shows('Discard changes?');
    await page.button('Keep editing').click();
    expect(await page.read('7', () => page.field('store.id').inputValue())).toBe('7');
  });

  test('without the scopes of targets and the registry nothing of them is offered or asked for', async () => {
    const { api, workspace } = await begin();
    await createGroup(api, 'acme', { properties });
    await declareVariables(api);
    await api.call('PUT', '/api/v1/targets/cube', bodies.cube);
    const { page } = await begin({
      workspace,
      scopes: ['user-groups:read', 'embed-tokens:issue'],
    });
    await open(page);
    await page.field('User id').waitFor();
    await page.field('Resources, one a line').fill(`dashboard:${SALES.id}`);
    expect(await page.read(0, () => choice(page, 'Token for').count())).toBe(0);
    expect(await page.read(0, () => page.field('store.id').count())).toBe(0);
  });
});
