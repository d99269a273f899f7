import { createGroup, withConsole } from '../../support/console/console-tests.ts';

const { begin, open } = withConsole('sqlite');

const PATH = '/api/v1/api-tokens';
const where = { environment: 'staging' };

test('an API token is issued for certain user groups, shown and changed', async () => {
  const { page, api } = await begin();
  await page.visit('api-tokens');
  await page.button('New API token').click();
  await page.field('Name').fill('staging');
  await page.button('Backend').click();
  const groups = page.field('Only these user groups');
  for (const wrong of ['{"a": 1', '{"a": null}']) {
    await groups.fill(wrong);
    await page.button('Create').click();
    await page.shows(/^The value must be /);
  }
  await groups.fill('{"environment": "staging", "seats": "5", "live": true}');
  await page.button('Create').click();
  page.complaints.splice(0);
  const secret = page.dialog('API token staging');
  await secret.getByRole('button', { name: 'Copy and close' }).click();
  const { text } = await api.call('GET', PATH);
  expect(text).toContain(
    '"user_groups":{"where":{"environment":"staging","seats":"5","live":true}}',
  );
  await page.row('staging').getByRole('link').first().click();
  await page.shows('{"environment":"staging","seats":"5","live":true}');
  await page.button('Edit').click();
  await page.field('Name').fill('staging only');
  await page.button('Save').click();
  await page.heading('staging only').waitFor();
  expect((await api.call('GET', PATH)).text).toContain('"seats":"5","live":true');
  await page.button('Edit').click();
  await groups.fill('acme\nglobex');
  await page.button('Save').click();
  await page.shows(/^acme\s+globex$/);
});

test('the session of a restricted API token works within its range', async () => {
  const { api } = await begin();
  await createGroup(api, 'own', { properties: where });
  await createGroup(api, 'other');
  const { body } = await api.call('POST', PATH, {
    name: 'restricted',
    scopes: (await api.call('GET', PATH)).body.api_tokens[0]!.scopes,
    user_groups: { where },
  });
  const refused: string[] = [];
  const page = await open();
  page.tab.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await page.signIn(body.api_token.token);
  await page.visit();
  await page.comesTo('groups');
  const links = page.tab.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  const pages = ['User groups', 'Sessions'];
  expect(await page.read(pages, () => links.allInnerTexts())).toEqual(pages);
  await page.row('own').waitFor();
  expect(await page.read(0, () => page.row('other').count())).toBe(0);
  await page.visit('groups/own');
  await page.heading('own').waitFor();
  await page.settle();
  await page.visit('sessions');
  await page.heading('Sessions').waitFor();
  await page.settle();
  expect(refused).toEqual([]);
  await page.visit('groups/other');
  await page.shows('There is no group other');
  page.takeAnyRefusals(404);
});
