import { scopes } from '../../../src/platform/common/access/caller.ts';
import type { ApiClient } from '../../support/api/api-client.ts';
import { fillWorkspace, placesOf } from '../../support/console/console-content.ts';
import type { ConsolePage } from '../../support/console/console-page.ts';
import { withConsole } from '../../support/console/console-tests.ts';
import { WebhookReceiver } from '../../support/events/webhook-receiver.ts';

// Each page and dialog is examined as a whole.
// The elements of the page do not depend on the database.
const { service, open, begin } = withConsole('sqlite');
let places: string[];
let dialogs: [place: string, ...buttons: (string | RegExp)[]][];

beforeAll(async () => {
  const api = service.clientOf(await service.issueToken([...scopes], 'full'));
  const made = await fillWorkspace(api, ['acme', 'globex']);
  await makeVaried(api);
  places = placesOf('acme', made);
  const endpoint = `webhooks/${await failingEndpoint(api)}`;
  places.push(
    'groups/initech',
    'groups/acme/view',
    'groups/globex/view',
    'registry/variables',
    'groups?search=nothing',
    'groups?status=suspended',
    endpoint,
  );
  places.push('audit?object_id=none', 'api-tokens?all=1', 'nowhere');
  const thing = `registry/data-sources/${made.dataSource}`;
  dialogs = [
    ...['New user group', 'Import', 'Export'].map((name): [string, string] => ['groups', name]),
    ...['Edit', 'Rotate', 'Suspend', 'Delete'].map((name): [string, string] => [
      'groups/acme',
      name,
    ]),
    ['groups/initech', 'Revoke now'],
    ['groups/acme/view', 'Issue an embed token'],
    ['groups', 'Help', 'Keyboard shortcuts'],
    ['registry/schemas', 'New schema'],
    ...['Rename', 'Delete'].map((name): [string, string] => [thing, name]),
    ['registry/policy', 'Turn off'],
    ['registry/variables', 'Edit variables'],
    ['registry/variables', 'Edit variables', 'Variable'],
    ['registry/variables', 'Edit variables', 'Preview'],
    ['api-tokens', 'New API token'],
    ...['Edit', 'Rotate', 'Revoke'].map((name): [string, RegExp, string] => [
      'api-tokens',
      /^Actions for/,
      name,
    ]),
    ['targets', 'New target'],
    ...['Try it', 'Edit', 'Delete'].map((name): [string, string] => ['targets/tool', name]),
    ['webhooks', 'New endpoint'],
    ...['Send test event', 'Edit', 'Disable', 'Replace secret', 'Delete', 'Replay…'].map(
      (name): [string, string] => [endpoint, name],
    ),
    ['sessions', 'Sign out'],
  ];
});

/** Groups in each state that they can be in. */
async function makeVaried(api: ApiClient): Promise<void> {
  const complete = { properties: { acme: 'required below' } };
  const { token } = await api.create({ user_group_id: 'initech', name: 'Initech', ...complete });
  await api.rotate(token, 3600);
  await api.call('POST', '/api/v1/user-groups/globex/suspend');
  await api.call('PATCH', '/api/v1/workspace', {
    variables: [{ name: 'acme', type: 'string', required: true }],
  });
  await api.call('GET', '/api/v1/user-groups/absent');
  const { body } = await api.call('POST', '/api/v1/api-tokens', {
    name: 'old',
    scopes: ['admin'],
  });
  await api.call('POST', `/api/v1/api-tokens/${body.api_token.id}/revoke`);
}

/** Creates an endpoint whose receiver is out of order. @returns its id once it has an attempt */
async function failingEndpoint(api: ApiClient): Promise<number> {
  const receiver = await WebhookReceiver.listen();
  receiver.reply = (response) => response.writeHead(500).end('out of order');
  const endpoint = { url: receiver.url, event_types: ['user_group.update'] };
  const { body } = await api.call('POST', '/api/v1/webhook-endpoints', endpoint);
  const { id } = body.webhook_endpoint;
  await api.put({ user_group_id: 'initech', name: 'Initech Ltd' });
  const path = `/api/v1/webhook-endpoints/${id}/attempts`;
  while (!(await api.call('GET', path)).text.includes('"attempt":1'));
  return id;
}

const expectNothing = async (page: ConsolePage, where: unknown) => {
  expect([where, await page.accessibilityViolations()]).toEqual([where, []]);
};

test('axe finds nothing on the sign-in page', async () => {
  const page = await open();
  await page.visit();
  await page.tab.getByText('Where is my token?').click();
  await expectNothing(page, 'at rest');
  await page.field('API token').fill('wrong');
  await page.button('Sign in').click();
  await page.tab.getByRole('alert').waitFor();
  page.takeRefusal(401);
  await expectNothing(page, 'after a refusal');
});

test('axe finds nothing on any page with what a workspace has', async () => {
  const { page } = await begin({ workspace: 'full' });
  for (const place of places) {
    await page.visit(place);
    await page.settle();
    const unfold = page.tab.locator('.unfold').first();
    if ((await unfold.count()) > 0) await unfold.click();
    const pick = page.tab.getByRole('checkbox', { name: /^Select / }).last();
    if ((await pick.count()) > 0) await pick.click();
    await expectNothing(page, place);
  }
});

test('axe finds nothing on any page of a workspace that has nothing', async () => {
  const { page } = await begin({ workspace: 'empty' });
  const own = places.filter((place) =>
    /^(|groups|registry\/[a-z-]+|targets|webhooks|events)$/.test(place),
  );
  for (const place of own) {
    await page.visit(place);
    await page.settle();
    await expectNothing(page, place);
  }
});

test('axe finds nothing in any dialog', async () => {
  const { page } = await begin({ workspace: 'full' });
  for (const [place, ...buttons] of dialogs) {
    await page.visit(place);
    await page.settle();
    for (const name of buttons) await page.button(name).last().click();
    await page.tab.getByRole('dialog').waitFor();
    await expectNothing(page, [place, ...buttons]);
  }
  await page.visit('registry/variables');
  await page.button('Edit variables').click();
  await page.button('Variable').click();
  await page.tab.getByRole('group', { name: 'Variable 2' }).getByLabel('Name').fill('lacking');
  await page.tab
    .getByRole('group', { name: 'Variable 2' })
    .getByRole('combobox', { name: 'If missing' })
    .selectOption('required');
  await page.button('Preview').click();
  await page.dialog('What this changes').getByText('Missing: lacking (text).').first().waitFor();
  await expectNothing(page, 'what would break');
});
