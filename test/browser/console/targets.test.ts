import jsonwebtoken from 'jsonwebtoken';
import { bodies, OTHER_SECRET, properties, SALES, SECRET } from '../../target/target-bodies.ts';
import type { ApiClient } from '../../support/api/api-client.ts';
import { byHandOn, type ConsolePage } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import type { TargetView } from '../../../src/features/target/definition/target-response.dto.ts';

const declare = async (api: ApiClient, name: string, body: object) => {
  const { status } = await api.call('PUT', `/api/v1/targets/${name}`, body);
  expect(status).toBeLessThan(300);
};
const read = async (api: ApiClient, name: string) =>
  (await api.call('GET', `/api/v1/targets/${name}`)).body as unknown as { target: TargetView };
const choice = (page: ConsolePage, name: string) => page.tab.getByRole('combobox', { name });
const gone = (page: ConsolePage) => page.tab.locator('dialog').waitFor({ state: 'detached' });

onEachDatabase((kind) => {
  const { begin } = withConsole(kind);

  byHandOn(kind, (hand) => {
    test('a target is declared, tried, changed and deleted', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme', { properties });
      await page.visit('targets');
      await page.shows('There are no targets yet');
      await page.use(page.button('New target'));
      await page.write(page.field('Name'), 'bi');
      await page.write(page.field('Audience'), 'superset');
      await page.write(page.field('Secret 1'), SECRET);
      await page.use(page.button('Create'));
      await page.heading('bi').waitFor();
      await gone(page);
      expect((await read(api, 'bi')).target).toMatchObject({
        kind: 'superset',
        max_seconds: 300,
        claims: bodies.superset.claims,
        signing: { keys: [{ id: 'k1' }] },
        row_filters: [{ dataset: 7, column: 'region' }],
      });
      const settings = page.tab.getByRole('region', { name: 'Settings to paste' });
      expect(
        await page.read(expect.stringContaining('AUDIENCE = "superset"'), () =>
          settings.innerText(),
        ),
      ).not.toContain(SECRET);
      await page.use(page.button('Copy the settings'));
      await page.read(expect.stringContaining('GUEST_TOKEN_JWT_SECRET'), () => page.clipboard());

      await page.use(page.button('Try it'));
      await page.write(page.field('User group'), 'acme');
      await page.write(page.field('User id'), 'u-17');
      await page.write(page.field('Resources, one a line'), `dashboard:${SALES.id}`);
      await page.use(page.button('Issue'));
      await page.dialog('The token of the target bi').waitFor();
      await page.shows(/^It cannot be revoked: nothing ends it before .* in 300 seconds/);
      const token = await page.readSecret();
      expect(jsonwebtoken.verify(token, SECRET)).toMatchObject({ resources: [SALES] });
      await page.read(expect.stringContaining('"kid": "k1"'), () =>
        page.tab.getByRole('region', { name: 'Header' }).innerText(),
      );
      await page.read(expect.stringContaining("region IN ('EMEA', 'APAC')"), () =>
        page
          .dialog(/target bi/)
          .getByRole('region', { name: 'Claims' })
          .innerText(),
      );
      await page.use(page.button('Done'));

      await page.use(page.button('Edit'));
      await page.write(page.field('Seconds'), '60');
      await page.use(page.button('Save'));
      await gone(page);
      await page.shows('60 seconds');
      await page.use(page.button('Delete'));
      await page.write(page.tab.getByLabel(/^Type its name/), 'bi');
      await page.use(page.button('Delete for good'));
      await page.heading('Targets').waitFor();
      await page.shows('There are no targets yet');
    });

    test('a secret is replaced without an outage: added, in front, and alone', async () => {
      const { page, api } = await begin({ hand });
      await declare(api, 'cube', bodies.cube);
      const keys = async () =>
        (await read(api, 'cube')).target.signing!.keys.map(({ id }) => id).join();
      const change = async (work: () => Promise<void>) => {
        await page.use(page.button('Edit'));
        await work();
        await page.use(page.button('Save'));
        await gone(page);
      };
      await page.visit('targets/cube');
      await change(async () => {
        await page.use(page.button('Second key'));
        expect(await page.read(0, () => page.button('Second key').count())).toBe(0);
        await page.write(page.field('Name of key 2'), 'next');
        await page.write(page.field('Secret 2'), OTHER_SECRET);
      });
      expect(await keys()).toBe('a,next');
      await change(() => page.use(page.button('Let it sign')));
      expect(await keys()).toBe('next,a');
      await createGroup(api, 'acme', { properties });
      const issue = { target: 'cube' };
      const { body } = await api.call('POST', '/api/v1/user-groups/acme/embed-tokens', issue);
      expect(jsonwebtoken.verify(body.embed_token.token, OTHER_SECRET)).toBeTruthy();
      await change(() => page.use(page.button('Remove key 2')));
      expect(await keys()).toBe('next');
      await page.shows('stored');
    });
  });

  test.each<[string, string, Record<string, string>, string]>([
    ['Seconds', 'metabase-sso', { Seconds: '200' }, '180 seconds at most'],
    ['Domain of addresses', 'metabase-sso', { 'Domain of addresses': 'X' }, 'a host'],
    ['Secret 1', 'cube', { 'Secret 1': 'short' }, 'at least 32 bytes'],
    ['Name of key 1', 'cube', { 'Name of key 1': 'a b' }, '1–64 letters'],
    ['Audience', 'cube', { Audience: 'a\u0085b' }, 'control'],
    ['Claims, as JSON', 'cube', { 'Claims, as JSON': '{"u":{"$":"sub"}}' }, '“u”: Cube'],
    ['Claims, as JSON', 'cube', { 'Claims, as JSON': '{"x":[{"$":"y"}]}' }, '“x/0/$”: The'],
    ['Claims, as JSON', 'cube', { 'Claims, as JSON': '{"x":1}' }, 'No value of the user'],
    ['Row filters, as JSON', 'superset', { 'Row filters, as JSON': '[]' }, 'No value of'],
    ['Name', 'cube', { Name: 'Not a name' }, '1–64 of a-z'],
  ])('a refusal is shown at the field %s of %s: %j', async (label, tool, texts, words) => {
    const { page } = await begin();
    await page.visit('targets');
    await page.button('New target').click();
    await choice(page, 'Tool').selectOption(tool);
    const given = {
      Name: 'x',
      'Secret 1': SECRET,
      ...(tool === 'superset' && { Audience: 'superset' }),
      ...(tool === 'metabase-sso' && { 'Domain of addresses': 'groups.example.com' }),
      ...texts,
    };
    for (const [field, text] of Object.entries(given)) await page.field(field).fill(text);
    await page.button('Create').click();
    const field = page.tab.locator('.field').filter({ has: page.field(label) });
    await field.locator('.wrong').filter({ hasText: words }).waitFor();
    expect(await page.read('true', () => page.field(label).getAttribute('aria-invalid'))).toBe(
      'true',
    );
    page.takeRefusal(422);
    // Nothing is lost by the refusal.
    for (const [field, text] of Object.entries(given)) {
      expect(await page.read(text, () => page.field(field).inputValue())).toBe(text);
    }
  });

  test('claims that are no JSON are told of before they are sent', async () => {
    const { page } = await begin();
    await page.visit('targets');
    await page.button('New target').click();
    for (const [field, text] of [
      ['Claims, as JSON', '{"a":1,"a":2}'],
      ['Row filters, as JSON', '[}'],
    ] as const) {
      const before = await page.field(field).inputValue();
      await page.field(field).fill(text);
      expect(await page.read(true, () => page.button('Create').isDisabled())).toBe(true);
      await page.field(field).fill(before);
      expect(await page.read(false, () => page.button('Create').isDisabled())).toBe(false);
    }
  });

  test('numbers of claims are sent and shown as they are written', async () => {
    const { page, api } = await begin();
    await declare(api, 'cube', bodies.cube);
    await page.visit('targets/cube');
    await page.button('Edit').click();
    await page.field('Claims, as JSON').fill('{"team":{"$":"team_id"},"rate":1.50,"big":1e2}');
    await page.button('Save').click();
    await gone(page);
    const { text } = await api.call('GET', '/api/v1/targets/cube');
    expect(text).toContain('"rate":1.5');
    await page.button('Edit').click();
    await page.read(expect.stringContaining('"big": 100'), () =>
      page.field('Claims, as JSON').inputValue(),
    );
  });

  test('a key of RS256 is a PEM, and the tool changes with its claims as long as nobody writes some', async () => {
    const { page } = await begin();
    await page.visit('targets');
    await page.button('New target').click();
    const claims = page.field('Claims, as JSON');
    await choice(page, 'Tool').selectOption('grafana');
    await page.read(expect.stringContaining('user.key'), () => claims.inputValue());
    expect(await page.read(0, () => page.field('Secret 1').count())).toBe(0);
    await choice(page, 'Tool').selectOption('jwt');
    await page.read(expect.stringContaining('"tenant"'), () => claims.inputValue());
    await choice(page, 'Algorithm').selectOption('RS256');
    await page.field('Name').fill('own');
    await page.field('Private key 1, in PEM').fill('-----BEGIN PRIVATE KEY-----');
    await claims.fill('{"mine":{"$":"sub"}}');
    await choice(page, 'Tool').selectOption('jwt');
    await page.button('Create').click();
    await page.shows(/must be an RSA key/);
    page.takeRefusal(422);
    await choice(page, 'Tool').selectOption('cube');
    expect(await page.read('{"mine":{"$":"sub"}}', () => claims.inputValue())).toContain('mine');
  });

  test('two at once: the second learns of the first, and keeps what it has written', async () => {
    const { page, api } = await begin();
    await declare(api, 'cube', bodies.cube);
    await page.visit('targets/cube');
    await page.button('Edit').click();
    await page.field('Seconds').fill('77');
    await declare(api, 'cube', { ...bodies.cube, max_seconds: 33 });
    await page.button('Save').click();
    await page.shows(/Somebody else has changed this target/);
    page.takeRefusal(412);
    expect((await read(api, 'cube')).target.max_seconds).toBe(33);
    expect(await page.read('77', () => page.field('Seconds').inputValue())).toBe('77');
  });

  test('a new target does not take the place of one that has its name', async () => {
    const { page, api } = await begin();
    await page.visit('targets');
    await page.button('New target').click();
    await declare(api, 'cube', bodies.cube);
    await page.field('Name').fill('cube');
    await page.field('Audience').fill('a');
    await page.field('Secret 1').fill(OTHER_SECRET);
    await page.button('Create').click();
    await page.shows(/There is a target of this name/);
    page.takeRefusal(412);
    expect((await read(api, 'cube')).target.kind).toBe('cube');
  });

  test('what is written is not lost by Back, Escape or a reload', async () => {
    const { page } = await begin();
    await page.visit('audit');
    await page.tab.getByRole('link', { name: 'Targets' }).click();
    await page.button('New target').click();
    await page.field('Name').fill('mine');
    const isKept = () => page.read('mine', () => page.field('Name').inputValue());
    await page.press('Escape');
    await page.shows('Discard changes?');
    await page.button('Keep editing').click();
    expect(await isKept()).toBe('mine');
    await page.goBack();
    await page.shows('Discard changes?');
    await page.comesTo('targets');
    await page.button('Keep editing').click();
    expect(await isKept()).toBe('mine');
    const asked = new Promise<string>((resolve) => {
      page.tab.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    page.tab.reload().catch(() => undefined);
    expect(await asked).toBe('beforeunload');
    expect(await isKept()).toBe('mine');
  });

  test('a target that filters nothing is marked, in the list and on its page', async () => {
    const { page, api } = await begin();
    await declare(api, 'open', { ...bodies.cube, claims: {}, unfiltered: true });
    await declare(api, 'filtered', bodies.cube);
    await page.visit('targets');
    const warning = 'Every group sees all that the tool shows';
    await page.row('open').getByText(warning).waitFor();
    expect(await page.read(0, () => page.row('filtered').getByText(warning).count())).toBe(0);
    await page.row('open').getByRole('link').click();
    await page.heading('open').waitFor();
    await page.shows(warning);
  });

  test.each([
    [['targets:read'], [0, 0, 0]],
    [
      ['targets:read', 'targets:write'],
      [0, 1, 1],
    ],
    [
      ['targets:read', 'embed-tokens:issue'],
      [1, 0, 0],
    ],
  ] as const)('with %j the page has %j of its buttons', async (scopes, [tries, edits, creates]) => {
    const { page, workspace } = await begin({ scopes: [...scopes] });
    const all = await begin({ workspace });
    await declare(all.api, 'cube', bodies.cube);
    await page.visit('targets/cube');
    await page.shows('CUBEJS_JWT_ALGS=HS256');
    expect(await page.read(tries, () => page.button('Try it').count())).toBe(tries);
    for (const name of ['Edit', 'Delete']) {
      expect(await page.read(edits, () => page.button(name).count())).toBe(edits);
    }
    await page.visit('targets');
    await page.row('cube').waitFor();
    expect(await page.read(creates, () => page.button('New target').count())).toBe(creates);
  });

  test('a token without the scope has no such page', async () => {
    const { page } = await begin({ scopes: ['user-groups:read', 'embed-tokens:issue'] });
    await page.visit('groups');
    const links = page.tab.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    expect(await page.read(0, () => links.filter({ hasText: 'Targets' }).count())).toBe(0);
  });

  test('a workspace does not see the targets of another', async () => {
    const other = await begin();
    await declare(other.api, 'theirs', bodies.cube);
    const { page } = await begin();
    await page.visit('targets');
    await page.shows('There are no targets yet');
    await page.visit('targets/theirs');
    await page.shows(/no target/i);
    page.takeAnyRefusals(404);
  });
});
