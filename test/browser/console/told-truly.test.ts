import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { NDJSON } from '../../support/api/api-client.ts';
import { soon } from '../../support/time/until.ts';

// The words of dialogs, and their drafts, do not depend on the database.
const { begin } = withConsole('sqlite');

const BOX = 'An id, a name, a token, or the id of a request';

test('a token is explained in whatever it was pasted with', async () => {
  const { page, api } = await begin();
  const old = await createGroup(api, 'acme', { name: 'Acme' });
  const imported = 'live-0123456789-abcdef';
  await api.rotate(old);
  const line = JSON.stringify({ user_group_id: 'moved', name: 'Moved', token: imported });
  await api.call('POST', '/api/v1/user-groups/import', line, NDJSON);
  const address = `https://dash.example.com/?userGroupToken=${old}&x=1`;
  const around = [
    address,
    `${old}.`,
    `${old},`,
    `(${old})`,
    `<iframe src=${old}>`,
    `Bearer ${old}`,
  ];
  const texts = [
    ...around,
    `{"token":"${old}"}`,
    `https://dash.example.com/?u=%3FuserGroupToken%3D${old}%26x`,
  ];
  const replaced = /^Refused: a newer token has replaced it\. Token no\. 1/;
  for (const text of texts) {
    await page.visit('system');
    await page.press('Control+k');
    await page.dialog('Find').getByRole('combobox', { name: BOX }).fill(text);
    await page.press('Enter');
    await page.shows(replaced);
    expect([text, await page.read(old, () => page.field('Token').inputValue())]).toEqual([
      text,
      old,
    ]);
    await page.visit('inspect');
    await page.field('Token').fill(text);
    await page.button('Inspect').click();
    await page.shows(replaced);
    expect([text, await page.read(old, () => page.field('Token').inputValue())]).toEqual([
      text,
      old,
    ]);
  }
  for (const text of [
    `Bearer ${imported}`,
    `https://dash.example.com/?userGroupToken=${imported}&x=1`,
  ]) {
    await page.visit('inspect');
    await page.field('Token').fill(text);
    await page.button('Inspect').click();
    await page.shows(/^Accepted\. .* of Moved\.$/);
  }
});

test('a replay is of the time that the clock of the console shows', async () => {
  const { page, api } = await begin({ timezone: 'America/New_York' });
  const replay = async (zone: string) => {
    const url = 'http://127.0.0.2:9/hook';
    const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
      url,
      event_types: ['user_group.*'],
    });
    const { id } = body.webhook_endpoint;
    await page.visit(`webhooks/${id}`);
    await page.button('Replay…').click();
    await page.shows(`In ${zone}.`);
    await page.field('Since').fill('2020-01-02T03:04');
    await page.field('Until').fill('2020-01-02T05:06');
    // The dialog also asks how many events will be sent again.
    const asked = page.tab.waitForRequest(
      (call) => call.url().endsWith('/replay') && !call.postData()?.includes('dry_run'),
    );
    await page.dialog('Replay').getByRole('button', { name: 'Replay' }).click();
    await page.dialog('Replay').waitFor({ state: 'detached' });
    // A workspace has one replay at a time, and the end of each is recorded.
    const ended = `/api/v1/audit-events?types=webhook_endpoint.replay&object_id=${id}`;
    await soon(async () => (await api.call('GET', ended)).body.audit_events as object[]);
    return (await asked).postDataJSON() as unknown;
  };
  const inWinter = { from: '2020-01-02T08:04:00.000Z', to: '2020-01-02T10:06:00.000Z' };
  expect(await replay('America/New_York')).toEqual(inWinter);
  await page.button('Show times in UTC').click();
  expect(await replay('UTC')).toEqual({
    from: '2020-01-02T03:04:00.000Z',
    to: '2020-01-02T05:06:00.000Z',
  });
});

test('a replay of an endpoint that fails begins where it began to fail', async () => {
  const { page, api } = await begin();
  const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
    url: 'http://127.0.0.2:9/hook',
    event_types: ['user_group.*'],
  });
  const { id } = body.webhook_endpoint;
  await page.tab.route(`**/api/v1/webhook-endpoints/${id}`, async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { webhook_endpoint: object };
    Object.assign(json.webhook_endpoint, { failing_since: '2020-01-02T03:04:05Z' });
    await route.fulfill({ json });
  });
  await page.visit(`webhooks/${id}`);
  await page.shows(/Waiting events are sent once the endpoint responds/);
  await page.button('Replay…').click();
  expect(await page.read('2020-01-02T03:03', () => page.field('Since').inputValue())).toBe(
    '2020-01-02T03:03',
  );
});

test('the draft of the variables is asked after even when it has come back from its preview', async () => {
  const { page } = await begin();
  await page.visit('registry/variables');
  await page.button('Edit variables').click();
  await page.button('Variable').click();
  await page.field('Name').fill('region');
  await page.button('Preview').click();
  await page.button('Back').click();
  await page.dialog('Edit variables').waitFor();
  await page.press('Escape');
  await page.shows('Discard changes?');
  await page.button('Keep editing').click();
  expect(await page.read('region', () => page.field('Name').inputValue())).toBe('region');
});

test('an end of a credential at once is a dangerous button that says so', async () => {
  const { page, api } = await begin();
  await api.call('POST', '/api/v1/api-tokens', { name: 'renderer', scopes: ['audit:read'] });
  const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
    url: 'http://127.0.0.2:9/hook',
    event_types: ['user_group.*'],
  });
  await page.visit('api-tokens');
  await page.row('renderer').getByRole('button', { name: 'Actions for renderer' }).click();
  await page.button('Rotate').click();
  await page.tab.getByRole('radio', { name: 'now' }).click();
  const end = page.button('Rotate and end the old token now');
  expect(
    await page.read('button danger', async () => (await end.getAttribute('class')) ?? ''),
  ).toBe('button danger');
  await page.visit(`webhooks/${body.webhook_endpoint.id}`);
  await page.button('Replace secret').click();
  await page.tab.getByRole('radio', { name: 'now' }).click();
  const roll = page.button('Replace and end the old secret now');
  expect(
    await page.read('button danger', async () => (await roll.getAttribute('class')) ?? ''),
  ).toBe('button danger');
});

test('a number that is still counted says that there may be more', async () => {
  const { page, api } = await begin();
  const lines = Array.from({ length: 250 }, (_, at) =>
    JSON.stringify({ user_group_id: `g${at}`, name: 'G' }),
  );
  await api.call('POST', '/api/v1/user-groups/import', lines.join('\n'), NDJSON);
  const goOn = await page.hold(/\/preview\?.*cursor=/);
  await page.visit('registry/variables');
  await page.button('Edit variables').click();
  await page.button('Variable').click();
  await page.field('Name').fill('region');
  await page.tab.getByRole('combobox', { name: 'If missing' }).selectOption('required');
  await page.button('Preview').click();
  await page.shows(/^\d+ or more groups would become inactive/);
  goOn();
  await page.shows(/^250 groups would become inactive/);
});

test('what was refused of an earlier token says nothing of the next one', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  await api.call('POST', '/api/v1/workspace/end-tokens', {
    kinds: ['user_group_token'],
    reason: 'a backup was lost',
  });
  await page.visit('groups/acme');
  await page.button('Copy token').click();
  const refusal = page.tab.getByRole('alert').filter({ hasText: 'ended' });
  await refusal.waitFor();
  await page.button('Rotate').click();
  await page
    .dialog('Rotate the token')
    .getByRole('button', { name: 'Rotate', exact: true })
    .click();
  await page.readSecret();
  await page.button('Done').click();
  await page.row('No. 2').getByText('current').waitFor();
  expect(await page.read(0, () => refusal.count())).toBe(0);
  page.takeRefusal(409);
});

test('a rotation says what has become of the old token', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  const rotate = async (words: string) => {
    await page.visit('groups/acme');
    await page.button('Rotate').click();
    await page
      .dialog('Rotate the token')
      .getByRole('button', { name: 'Rotate', exact: true })
      .click();
    await page.readSecret();
    await page.dialog('The new token').getByText(words).waitFor();
  };
  await rotate('The old token works until');
  await api.call('POST', '/api/v1/workspace/end-tokens', {
    kinds: ['user_group_token'],
    reason: 'a backup was lost',
  });
  await rotate('The old token stays ended.');
  await api.call('POST', '/api/v1/user-groups/acme/suspend');
  await rotate('No token works while the group is suspended.');
});

test('a group whose token was ended says so to everybody, until it gets another one on the spot', async () => {
  const { api, workspace } = await begin();
  for (const id of ['acme', 'birch', 'cedar']) await createGroup(api, id);
  await api.call('POST', '/api/v1/workspace/end-tokens', {
    kinds: ['user_group_token'],
    reason: 'a backup was lost',
  });
  await createGroup(api, 'later');

  // Nothing on these pages may depend on the scope of administrators.
  const { page } = await begin({ workspace, scopes: ['user-groups:read', 'tokens:rotate'] });
  await page.visit();
  const line = page.tab
    .locator('.work li.bad')
    .filter({ hasText: 'user groups have no valid token' });
  await line.getByText('their tokens were ended together.').waitFor();
  expect(await page.read('3', () => line.locator('strong').innerText())).toBe('3');
  await line.getByRole('link', { name: 'Show them' }).click();
  await page.comesTo('groups?status=no_valid_token');
  await page.row('acme').getByText('No valid token').waitFor();
  expect(await page.read(3, () => page.tab.locator('tbody tr:not(.bones)').count())).toBe(3);

  await page.visit('groups/acme/view');
  await page.tab.getByRole('heading', { level: 1 }).getByText('No valid token').waitFor();
  await page.shows(
    /^Inactive because its token was ended together with all others of the workspace/,
  );
  await page.visit('groups/acme');
  await page.shows(/^It opens nothing now\./);
  expect(
    await page.read(0, () => page.tab.getByText('opens dashboards as this group').count()),
  ).toBe(0);
  await page.button('Issue a new token').click();
  await page
    .dialog('Rotate the token')
    .getByRole('button', { name: 'Rotate', exact: true })
    .click();
  await page.readSecret();
  await page.button('Done').click();
  await page.tab.getByRole('heading', { level: 1 }).getByText('Active').waitFor();
  await page.shows(/^It opens dashboards as this group\./);

  const reader = (await begin({ workspace, scopes: ['user-groups:read'] })).page;
  await reader.visit('groups/birch');
  await reader.shows(
    /^No token of this group works\. .* \(the next GET or PUT \/api\/user does so, too\)\./,
  );
  expect(await reader.read(0, () => reader.button('Issue a new token').count())).toBe(0);
});

test('what a form is refused for stands at its field, which has the focus and is in sight', async () => {
  const { page, api } = await begin();
  const refusal = async (label: string, words: string | RegExp) => {
    const field = page.tab.getByLabel(label, { exact: true });
    expect([label, await page.getsFocus(field)]).toEqual([label, true]);
    const wrong = page.tab.locator('.field').filter({ has: field }).locator('.wrong');
    expect(await page.read(expect.stringMatching(words), () => wrong.innerText())).toMatch(words);
    const box = (await wrong.boundingBox())!;
    expect(box.y).toBeLessThan(700);
    page.takeRefusal(422);
  };
  await page.visit('api-tokens');
  await page.button('New API token').click();
  await page.field('Name').fill('renderer');
  await page.button('Renderer').click();
  await page.field('Allowed IP ranges').fill('10.0.0.0/8\n\nbanana');
  await page.button('Create').click();
  await refusal('Allowed IP ranges', /^“banana”: A range must be an address/);

  await page.visit('webhooks');
  await page.button('New endpoint').click();
  await page.field('URL').fill('https://10.1.2.3/hook');
  await page.button('Create').click();
  await refusal('URL', /^The url names an address that webhooks are not sent to/);

  await page.visit('groups');
  await page.button('New user group').click();
  await page.field('ID').fill('x'.repeat(300));
  await page.field('Name').fill('Long');
  await page.button('Create').click();
  await refusal('ID', /at most 255/);

  const variables = [{ name: 'region', type: 'string', required: false }];
  await api.call('PATCH', '/api/v1/workspace', { variables });
  await page.visit('registry/variables');
  await page.button('Edit variables').click();
  await page.button('Variable').click();
  const second = page.tab.getByRole('group', { name: 'Variable 2' });
  await second.getByLabel('Name').fill('region');
  await page.button('Preview').click();
  await second.getByText('It is listed twice.').waitFor();
  expect(await page.getsFocus(second.getByLabel('Name'))).toBe(true);
  page.takeRefusal(422);
});

test('a next attempt that is due is said to be now', async () => {
  const { page, api } = await begin();
  const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
    url: 'http://127.0.0.2:9/hook',
    event_types: ['user_group.*'],
  });
  const attempt = {
    event_id: 'evt_1',
    type: 'user_group.create',
    occurred_at: '2020-01-02T03:04:05Z',
    attempt: 1,
    delivery: 'pending',
    next_attempt_at: '2020-01-02T03:04:10Z',
    status: null,
    failure: 'timeout',
    duration_ms: 3,
  };
  await page.tab.route(/\/attempts\?/, (route) =>
    route.fulfill({ json: { success: 1, attempts: [attempt] } }),
  );
  await page.visit(`webhooks/${body.webhook_endpoint.id}`);
  await page.shows('1 attempt, next now');
});
