import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

const PAGES = ['User groups', 'API tokens', 'Audit log', 'Sessions'];

onEachDatabase((kind) => {
  const { begin } = withConsole(kind, { FEATURES: 'core' });

  test('the core alone has its pages, and none of them calls what is not served', async () => {
    const { page, api, token } = await begin();
    await createGroup(api, 'acme', { mapping: { sales: 'eu' }, properties: { region: 'EMEA' } });
    const refused: string[] = [];
    page.tab.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    await page.visit();
    await page.comesTo('groups');
    const links = page.tab.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    expect(await page.read(PAGES, () => links.allInnerTexts())).toEqual(PAGES);
    for (const name of PAGES) {
      await page.use(links.filter({ hasText: name }));
      await page.heading(new RegExp(`^${name}`)).waitFor();
      await page.settle();
    }
    await page.visit('groups');
    await page.row('acme').waitFor();
    const ofBulk = page.tab
      .getByRole('button', { name: /^(Import|Export)/ })
      .or(page.tab.getByRole('checkbox'));
    expect(await page.read(0, () => ofBulk.count())).toBe(0);
    await page.visit('groups/acme');
    await page.heading('acme').waitFor();
    const tabs = page.tab.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link');
    expect(await page.read(2, () => tabs.count())).toBe(2);
    await page.settle();
    await page.visit('webhooks');
    await page.heading('There is no such page').waitFor();
    await page.use(page.button(/^Find/));
    await page.write(page.tab.getByRole('combobox'), token);
    await page.settle();
    expect(await page.read(0, () => page.tab.getByRole('option').count())).toBe(0);
    expect(refused).toEqual([]);
  });
});
