import { bodies } from '../../target/target-bodies.ts';
import type { ConsolePage } from '../../support/console/console-page.ts';
import { OWN_PAGE } from '../../support/console/console.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { changeDatabase } from '../../support/database/databases.ts';

// The loss of a draft, and the words of the page about it, do not depend on the database.
const { service, open, begin } = withConsole('sqlite');

const WRITTEN = '{\n  "a": "16 KiB of it"\n}';

/** Begins to write a new group. */
async function write(page: ConsolePage): Promise<void> {
  await page.visit('groups');
  await page.button('New user group').click();
  await page.field('ID').fill('half-written');
  await page.json('Properties').click();
  await page.field('Properties').fill(WRITTEN);
}

test('Escape asks before it discards what was written, and closes what has nothing', async () => {
  const { page } = await begin();
  await write(page);
  const dialog = page.dialog('New user group');
  for (const close of [
    () => page.press('Escape'),
    () => page.button('Close').click(),
    () => page.button('Cancel').click(),
  ]) {
    await close();
    await page.shows('Discard changes?');
    expect(await page.getsFocus(page.button('Keep editing'))).toBe(true);
    await page.button('Keep editing').click();
    expect(await page.read(WRITTEN, () => page.field('Properties').inputValue())).toBe(WRITTEN);
  }
  // However often it is pressed.
  await page.press('Escape', 'Escape', 'Escape', 'Escape');
  expect(await page.read(true, () => dialog.isVisible())).toBe(true);
  await page.press('Escape');
  await page.button('Discard').click();
  await dialog.waitFor({ state: 'detached' });
  await page.button('New user group').click();
  await page.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('what was written is there after a sign-out in another tab, for the same person alone', async () => {
  const { page, token, workspace } = await begin();
  await write(page);
  const other = await page.context.newPage();
  await other.goto(page.tab.url().split('#')[0]!);
  const signOut = async () => {
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.shows('You signed out in another tab.');
  };
  await signOut();
  // Nothing of it is in the document meanwhile.
  expect(await page.tab.content()).not.toContain('half-written');
  expect(await page.read([''], () => page.fieldValues())).toEqual(['']);
  expect(await page.read(0, () => page.tab.getByRole('dialog').count())).toBe(0);
  await page.field('API token').fill(token);
  await page.button('Sign in').click();
  await page.dialog('New user group').waitFor();
  expect(await page.read('half-written', () => page.field('ID').inputValue())).toBe('half-written');
  expect(await page.read(WRITTEN, () => page.field('Properties').inputValue())).toBe(WRITTEN);

  // The other tab has noticed, and one signs in there as well.
  await signOut();
  await other.getByLabel('API token', { exact: true }).fill(token);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await page.dialog('New user group').waitFor();
  await page.field('Name').fill('Whole');
  await page.button('Create').click();
  await page.heading('Whole').waitFor();

  await page.visit('groups');
  await page.button('New user group').click();
  await page.field('ID').fill('secret-draft');
  await signOut();
  await page
    .field('API token')
    .fill(await service.issueToken(['user-groups:read', 'user-groups:write'], workspace));
  await page.button('Sign in').click();
  await page.heading('User groups').waitFor();
  expect(await page.read(0, () => page.tab.getByRole('dialog').count())).toBe(0);
  expect(await page.tab.content()).not.toContain('secret-draft');
  await other.close();
});

test('the next person gets no undo and no list of the one before', async () => {
  const { page, api } = await begin();
  const next = await begin();
  for (const one of [api, next.api]) await createGroup(one, 'acme');
  await page.visit('groups?status=active');
  await page.row('acme').getByRole('link').click();
  const way = page.tab.locator('main').getByRole('link', { name: 'User groups' });
  expect(await page.read('#/groups?status=active', () => way.getAttribute('href'))).toBe(
    '#/groups?status=active',
  );
  await page.button('Suspend').click();
  await page.dialog('Suspend this').getByRole('button', { name: 'Suspend' }).click();
  await page.button('Undo').waitFor();
  await page.button('Sign out').click();
  await page.field('API token').fill(next.token);
  await page.button('Sign in').click();
  await page.button('Suspend').waitFor();
  expect(await page.read(0, () => page.button('Undo').count())).toBe(0);
  expect(await page.read('#/groups', () => way.getAttribute('href'))).toBe('#/groups');
});

test('keys and pasted text reach no page while one is signed out', async () => {
  const { page, token, api } = await begin();
  await createGroup(api, 'acme');
  const other = await page.context.newPage();
  const whileSignedOut = async (act: () => Promise<void>) => {
    await other.goto(page.tab.url().split('#')[0]!);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.shows('You signed out in another tab.');
    await act();
    await page.field('API token').fill(token);
    await page.button('Sign in').click();
  };
  await page.visit('groups/acme');
  await page.button('Edit').waitFor();
  await whileSignedOut(async () => {
    await page.press('Control+k');
    await page.tab.getByText('Where is my token?').focus();
    await page.press('e', '?');
  });
  await page.heading('acme').waitFor();
  await page.settle();
  expect(await page.read(0, () => page.tab.getByRole('dialog').count())).toBe(0);

  await page.visit('inspect');
  await page.field('Token').waitFor();
  await whileSignedOut(async () => {
    await page.tab.evaluate('navigator.clipboard.writeText("pasted")');
    await page.tab.getByText('Where is my token?').focus();
    await page.press('Control+v');
  });
  await page.heading('Inspect a token').waitFor();
  expect(await page.read('', () => page.field('Token').inputValue())).toBe('');
  expect(await page.read(0, () => page.tab.getByRole('alert').count())).toBe(0);
  await other.close();
});

test('without a connection one bar says so, every page is there, and all comes back by itself', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  await page.visit('groups');
  await page.row('acme').waitFor();
  // The script of all pages is there.
  const isLoaded = `performance.getEntriesByType('resource').some(({ name }) => name.includes('screens-'))`;
  expect(await page.read(true, () => page.tab.evaluate<boolean>(isLoaded))).toBe(true);
  await page.context.setOffline(true);
  await page.tab.getByRole('link', { name: 'Registry' }).click();
  await page.heading('Registry').waitFor();
  await page.shows('No connection. Trying again…');
  expect(await page.read(0, () => page.tab.getByRole('alert').count())).toBe(0);
  await page.tab.getByRole('link', { name: 'User groups' }).click();
  await page.heading('User groups').waitFor();
  await page.context.setOffline(false);
  await page.row('acme').waitFor();
  await page.tab.getByText('No connection').waitFor({ state: 'detached' });
  page.complaints.splice(0);
});

test('the page says why a session has ended', async () => {
  const page = await open();
  await page.signIn(await service.issueToken(['user-groups:read'], 'default', 3_600_000));
  await page.visit('groups');
  await page.heading('User groups').waitFor();
  await changeDatabase(
    service.database,
    `UPDATE api_token SET expires_at = ${Date.now()} WHERE expires_at IS NOT NULL`,
  );
  await page.shows('The API token of this session has expired.');
  const fresh = await open();
  await fresh.signIn(await service.issueToken(['user-groups:read']));
  await fresh.visit('groups');
  const cookies = await fresh.context.cookies();
  await service.clientOf(undefined).send({
    method: 'DELETE',
    path: '/console/session',
    headers: {
      ...OWN_PAGE,
      Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    },
  });
  await fresh.shows('The session was signed out, or ended by a person.');
  page.takeAnyRefusals(401);
  fresh.takeAnyRefusals(401);
});

test('Back and a reload ask before they lose what was written', async () => {
  const { page } = await begin();
  await page.visit('audit');
  await page.tab.getByRole('link', { name: 'User groups' }).click();
  await page.button('New user group').click();
  await page.field('ID').fill('half-written');
  await page.goBack();
  await page.shows('Discard changes?');
  await page.comesTo('groups');
  await page.button('Keep editing').click();
  expect(await page.read('half-written', () => page.field('ID').inputValue())).toBe('half-written');

  await page.goBack();
  await page.shows('Discard changes?');
  await page.comesTo('groups');
  await page.button('Discard').click();
  await page.dialog('New user group').waitFor({ state: 'detached' });
  await page.goBack();
  await page.heading('Audit log').waitFor();
  await page.tab.goForward();
  await page.heading('User groups').waitFor();
});

test('what was discarded holds the page no longer, from the same moment', async () => {
  const { page } = await begin();
  await write(page);
  await page.press('Escape');
  await page.button('Discard').waitFor();
  /** The number of dialogs, and whether a reload asks: no frame and no event comes between what is done before and this. */
  const asksAfter = (act: string) =>
    page.tab.evaluate(`(async () => {
      ${act};
      for (let tasks = 0; tasks < 10; tasks += 1) await undefined;
      const event = new Event('beforeunload', { cancelable: true });
      dispatchEvent(event);
      return [document.querySelectorAll('dialog').length, event.defaultPrevented];
    })()`);
  expect(await asksAfter('')).toEqual([1, true]);
  const leave = `document.querySelector('dialog [role=alert] .danger').click()`;
  expect(await asksAfter(leave)).toEqual([0, false]);
});

test('a reload asks before it loses what was written', async () => {
  const { page } = await begin();
  await write(page);
  const asked = new Promise<string>((resolve) => {
    page.tab.once('dialog', (dialog) => {
      resolve(dialog.type());
      void dialog.dismiss();
    });
  });
  page.tab.reload().catch(() => undefined);
  expect(await asked).toBe('beforeunload');
  expect(await page.read('half-written', () => page.field('ID').inputValue())).toBe('half-written');
});

test.each([
  ['a user group', 'groups/acme', 'Name'],
  ['an endpoint', 'webhooks/1', 'Description'],
  ['a target', 'targets/cube', 'Audience'],
])('the editor of %s closes after the page has what it stored', async (_thing, place, label) => {
  const { page, api } = await begin();
  await createGroup(api, 'acme');
  await api.call('PUT', '/api/v1/targets/cube', bodies.cube);
  const endpoint = { url: 'https://receiver.example/hook', event_types: ['user_group.*'] };
  const { body } = await api.call('POST', '/api/v1/webhook-endpoints', endpoint);
  await page.visit(place.replace('webhooks/1', () => `webhooks/${body.webhook_endpoint.id}`));
  await page.button('Edit').click();
  await page.field(label).fill('As it is now');
  const isReload = (request: { method(): string }) => request.method() === 'GET';
  const goOn = await page.hold(/\/api\/v1\/(user-groups|webhook-endpoints|targets)\//, isReload);
  const reloads = page.tab.waitForRequest(isReload);
  await page.button('Save').click();
  await reloads;
  await page.button('Save').waitFor();
  goOn();
  await page.tab.getByRole('dialog').waitFor({ state: 'detached' });
  await page.button('Edit').click();
  // Read once: the field does not take what comes later.
  const first = () => page.field(label).inputValue();
  expect(await first()).toBe('As it is now');
});
