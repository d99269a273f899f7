import { createGroup, withConsole } from '../../support/console/console-tests.ts';

// The requests of the page do not depend on the database.
const { begin } = withConsole('sqlite');

const path = '/api/v1/user-groups/acme';

test('an edit is not merged into another group that has the id since', async () => {
  const { page, api } = await begin();
  const stored = async () => (await api.call('GET', path)).body.user_group;
  await createGroup(api, 'acme', { properties: { seats: 25 } });
  await page.visit('groups/acme');
  await page.button('Edit').click();
  await page.field('Name').fill('Mine');
  await api.call('DELETE', path);
  await createGroup(api, 'acme', { properties: { seats: 25 } });
  await page.button('Save').click();
  await page.shows('The group was deleted, and this is another one with its id.');
  page.takeRefusal(412);
  expect(await stored()).toMatchObject({ name: 'acme' });
  await page.button('Keep mine and save').click();
  await page.heading('Mine').waitFor();
  expect(await stored()).toMatchObject({ name: 'Mine', properties: { seats: 25 } });
  page.takeAnyRefusals(412);
  page.takeAnyRefusals(404);
});

test('a form shows what it has merged if the service refuses that, and goes on from there', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme', { properties: { seats: 25 } });
  await page.visit('groups/acme');
  await page.button('Edit').click();
  await page.field('Name').fill('Mine');
  await api.put({ user_group_id: 'acme', properties: { seats: 25, tier: 'gold' } });
  const variables = [{ name: 'tier', type: 'string', required: false, enum: ['silver'] }];
  await api.call('PATCH', '/api/v1/workspace', { variables });
  await page.button('Save').click();
  await page.shows('The marked fields say why.');
  page.takeRefusal(412);
  page.takeRefusal(422);
  const tier = page.field('Value of property 2');
  expect(await page.read('gold', () => tier.inputValue())).toBe('gold');
  expect(await page.read('true', () => tier.getAttribute('aria-invalid'))).toBe('true');
  expect(await page.read('Mine', () => page.field('Name').inputValue())).toBe('Mine');
  await tier.fill('silver');
  await page.button('Save').click();
  await page.heading('Mine').waitFor();
  expect((await api.call('GET', path)).body.user_group).toMatchObject({
    name: 'Mine',
    properties: { seats: 25, tier: 'silver' },
  });
});
