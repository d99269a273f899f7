import { fillWorkspace, placesOf } from '../../support/console/console-content.ts';
import type { ConsolePage } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

/** Texts that attack a page which takes text for markup. */
const HOSTILE = [
  '<script>globalThis.injected = 1</script>',
  '"><img src=x onerror="globalThis.injected = 1">',
  "'><svg/onload=globalThis.injected=1>",
  'javascript:globalThis.injected=1',
  '{{7*7}}${7*7}<!--',
];

onEachDatabase((kind) => {
  const { service, begin } = withConsole(kind);

  test('a caller that may only read sees nothing else', async () => {
    const { api, workspace } = await begin();
    await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
    const { page } = await begin({ scopes: ['user-groups:read'], workspace });
    await page.visit('groups');
    await page.row('acme').waitFor();
    const names = page.tab.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    const permitted = ['Overview', 'User groups', 'Jobs', 'Sessions'];
    const shown = async () => (await names.allInnerTexts()).map((name) => name.trim());
    expect(await page.read(permitted, shown)).toEqual(permitted);
    const buttons = async () => (await page.tab.locator('main button').allInnerTexts()).sort();
    const ofList = ['Created', 'Filter', 'Updated', 'User group'];
    expect(await page.read(ofList, buttons)).toEqual(ofList);
    await page.row('acme').getByRole('link').click();
    await page.row('warehouse').waitFor();
    await page.shows(/You need the user-group-tokens:read scope to see it\./);
    expect(await page.read([], async () => (await buttons()).filter(Boolean))).toEqual([]);
    for (const [place, name] of [
      ['api-tokens', 'You need the admin scope to see API tokens'],
      ['audit', 'You need the audit:read scope to see Audit log'],
      ['registry', 'You need the registry:read scope to see Registry'],
    ] as const) {
      await page.tab.goto(`${service.baseUrl}/console/#/${place}`);
      await page.shows(name);
    }
    await page.visit('sessions');
    await page.shows('This session');
    expect(await page.read(1, () => page.tab.locator('tbody tr').count())).toBe(1);
  });

  test('text is text on every page, whatever it says', async () => {
    const { page, api } = await begin();
    const made = await fillWorkspace(api, HOSTILE);
    const last = HOSTILE.at(-1)!;
    for (const id of HOSTILE) {
      await page.visit(`groups/${encodeURIComponent(id)}`);
      await page.heading(id).waitFor();
      await page.button('Delete').click();
      await page.dialog('Delete this user group').getByText(id).first().waitFor();
    }
    for (const place of placesOf(last, made)) {
      await page.visit(place);
      await page.settle();
      for (const unfold of await page.tab.locator('.unfold').all()) await unfold.click();
      const isListed = !/^(events|sessions|system|)$/.test(place);
      if (isListed) await page.shows(last);
      expect([place, await injected(page)]).toEqual([place, [null, 1, 0, 0]]);
    }
    await page.visit('events');
    await page.tab.getByText('live', { exact: true }).waitFor();
    for (const id of HOSTILE) await api.put({ user_group_id: id, name: 'changed' });
    for (const id of HOSTILE) await page.shows(id);
    expect(await injected(page)).toEqual([null, 1, 0, 0]);
  });

  test('what another workspace has appears nowhere', async () => {
    const { api: stranger } = await begin();
    const foreign = await fillWorkspace(stranger, ['foreign']);
    const { page, api } = await begin();
    const made = await fillWorkspace(api, ['own']);
    for (const place of placesOf('own', made)) {
      await page.visit(place);
      await page.settle();
      for (const unfold of await page.tab.locator('.unfold').all()) await unfold.click();
      // The page has all it shows: nothing of another workspace may be there even for a moment.
      const content = await page.tab.content();
      expect([place, content.includes('foreign')]).toEqual([place, false]);
    }
    for (const place of [
      'groups/foreign',
      `registry/data-sources/${foreign.dataSource}`,
      `webhooks/${foreign.webhookEndpoint}`,
    ]) {
      await page.visit(place);
      await page.shows(/not_found|There is no group/);
      expect(page.complaints.splice(0).every((text) => text.includes('404'))).toBe(true);
    }
  });
});

/** The mark of a script that ran, and the numbers of scripts, of pictures and of links to scripts in the page. */
function injected(page: ConsolePage): Promise<unknown> {
  return page.tab.evaluate(
    `[globalThis.injected ?? null, document.scripts.length, document.images.length,
        document.querySelectorAll('[href^=javascript i]').length]`,
  );
}
