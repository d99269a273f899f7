import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { report } from '../../usage/usage-calls.ts';

const { begin } = withConsole('sqlite');

const at = () => new Date().toISOString();

test('the page of a group has a chart of its usage, whose numbers can be read and walked', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  await createGroup(api, 'globex');
  await report(api, [
    { sub: 'acme', user_id: 'ann', count: 1234, at: at() },
    { sub: 'globex', count: 5, at: at() },
  ]);
  await page.visit('groups/acme');
  const plot = page.tab.getByRole('img', { name: 'Views: 1234, Embed tokens: 0' });
  await plot.waitFor();
  const panel = page.tab.locator('.panel').filter({ has: plot });
  await panel
    .locator('figcaption')
    .filter({ hasText: /Total.*Views\s+1,234/s })
    .waitFor();
  await plot.focus();
  await page.tab.keyboard.press('Home');
  await panel
    .locator('figcaption')
    .filter({ hasText: /Views\s+0/ })
    .waitFor();
  await page.tab.keyboard.press('End');
  await panel
    .locator('figcaption')
    .filter({ hasText: /Views\s+1,234/ })
    .waitFor();
  expect(await page.accessibilityViolations()).toEqual([]);
  await page.tab.setViewportSize({ width: 390, height: 900 });
  const box = (await plot.boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(390);
});

test('a session without the scope has no chart', async () => {
  const { page, api } = await begin({
    scopes: ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
  });
  await createGroup(api, 'acme');
  await page.visit('groups/acme');
  await page.shows('Properties');
  expect(await page.read(0, () => page.tab.getByRole('heading', { name: 'Usage' }).count())).toBe(
    0,
  );
});
