import { createGroup, withConsole } from '../../support/console/console-tests.ts';

// The requests of the page do not depend on the database.
const { begin } = withConsole('sqlite');

const path = '/api/v1/user-groups/acme';

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
