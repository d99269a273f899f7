import { NDJSON } from '../../support/api/api-client.ts';
import { byEachHand, type ConsolePage, type Hand } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { scopes as allScopes } from '../../../src/platform/common/access/caller.ts';

const { begin } = withConsole('sqlite');

const BOX = 'An id, a name, a token, or the id of a request';

/** Every address that the page has been at, and what the browser has kept of it. */
const TRACES =
  'JSON.stringify([addresses, location.href, { ...localStorage }, { ...sessionStorage }, document.cookie, history.state])';
const NOTE_ADDRESSES =
  'globalThis.addresses = []; addEventListener("hashchange", ({ newURL }) => addresses.push(newURL)); undefined';

const box = (page: ConsolePage) => page.dialog('Find').getByRole('combobox', { name: BOX });
const options = (page: ConsolePage) => page.dialog('Find').getByRole('option');

async function openBox(page: ConsolePage, hand: Hand = 'keyboard') {
  if (hand === 'mouse') await page.button('Find…').click();
  else await page.press('Control+k');
  await box(page).waitFor();
}

async function openFirst(page: ConsolePage, hand: Hand) {
  if (hand === 'mouse') await options(page).first().click();
  else await page.press('Enter');
}

byEachHand((hand) => {
  test('one box opens from any page, and finds a group by its id or its name', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'cust-00077', { name: 'Acme EMEA' });
    await createGroup(api, 'cust-00078', { name: 'Birch' });
    await page.visit('sessions');
    await openBox(page, hand);
    await box(page).fill('cust-0007');
    expect(await page.read(2, () => options(page).filter({ hasText: 'cust-' }).count())).toBe(2);
    await box(page).fill('birch');
    await options(page).filter({ hasText: 'cust-00078' }).waitFor();
    await box(page).fill('cust-00077');
    await options(page).filter({ hasText: 'Acme EMEA' }).waitFor();
    await openFirst(page, hand);
    await page.comesTo('groups/cust-00077');
    expect(await page.read(0, () => page.dialog('Find').count())).toBe(0);
  });

  test('a pasted token is explained, and gets into no address, no storage and no query', async () => {
    const { page, api } = await begin({ hand });
    const old = await createGroup(api, 'acme', { name: 'Acme EMEA' });
    await api.rotate(old);
    await page.visit('system');
    await page.tab.evaluate(NOTE_ADDRESSES);
    const asked: string[] = [];
    page.tab.on('request', (call) => asked.push(`${call.method()} ${call.url()}`));
    await openBox(page, hand);
    await page.tab.keyboard.insertText(`  ${old} `);
    await options(page).filter({ hasText: 'Inspect this token' }).waitFor();
    await openFirst(page, hand);
    await page.comesTo('inspect');
    await page.shows(
      `Refused: a newer token has replaced it. Token no. 1 (…${old.slice(-4)}) of Acme EMEA.`,
    );
    expect(asked.filter((call) => call.endsWith('/tokens/inspect'))).toHaveLength(1);
    const traces = asked.join('\n') + (await page.tab.evaluate<string>(TRACES));
    expect(traces).toContain('#/inspect');
    expect(traces).not.toContain(old);
    await page.use(page.tab.getByRole('link', { name: 'Open the group' }));
    await page.heading(/^Acme EMEA/).waitFor();
    await page.tab.goBack();
    await page.heading('Inspect a token').waitFor();
    expect(await page.read('', () => page.field('Token').inputValue())).toBe('');
  });
});

test('the box is a combobox: arrows choose, Enter opens, Escape closes it and gives the focus back', async () => {
  const { page, api } = await begin();
  for (const id of ['north', 'northwest']) await createGroup(api, id);
  await page.visit('system');
  await page.press('/');
  await box(page).fill('north');
  expect(await page.read(2, () => options(page).count())).toBe(2);
  // One look: another option may be chosen between two.
  const chosen = () =>
    page.tab.evaluate<string>(
      `document.querySelector('#' + CSS.escape(document.querySelector('dialog [role=combobox]')
        .getAttribute('aria-activedescendant')) + '[aria-selected=true]')?.innerText`,
    );
  // An exact id comes before newer groups.
  expect(await page.read('north\nnorth', chosen)).toBe('north\nnorth');
  await page.press('ArrowDown');
  expect(await page.read('northwest\nnorthwest', chosen)).toBe('northwest\nnorthwest');
  expect(await page.accessibilityViolations()).toEqual([]);
  await page.press('ArrowDown', 'ArrowUp', 'Enter');
  await page.comesTo('groups/northwest');
  await page.heading(/^northwest/).waitFor();
  const edit = page.button('Edit');
  await edit.focus();
  await openBox(page);
  await page.press('Escape');
  expect(await page.getsFocus(edit)).toBe(true);
});

test('an exact id is found at once among more groups than one search looks at, and Enter need not wait', async () => {
  const { page, api } = await begin();
  const lines = Array.from({ length: 2500 }, (_, at) =>
    JSON.stringify({ user_group_id: `g${at}`, name: `Group ${at}` }),
  );
  await api.send({
    method: 'POST',
    path: '/api/v1/user-groups/import',
    body: lines.join('\n'),
    headers: NDJSON,
  });
  await page.visit('sessions');
  await openBox(page);
  await page.tab.keyboard.insertText('g17');
  await page.press('Enter');
  await page.comesTo('groups/g17');
  await openBox(page);
  await page.tab.keyboard.insertText('Group 3');
  await options(page).filter({ hasText: 'Search all user groups' }).click();
  await page.comesTo('groups?search=Group+3');
  page.takeAnyRefusals(404);
});

test('the id of a request leads to what the audit log has of it', async () => {
  const { page, api } = await begin();
  const { headers } = await api.call('PUT', '/api/v1/user-groups/acme', { name: 'Acme' });
  const id = String(headers['x-request-id']);
  await page.visit('sessions');
  await openBox(page);
  await box(page).fill(id);
  await options(page)
    .filter({ hasText: `Request ${id}` })
    .filter({ hasText: 'user_group.create' })
    .click();
  await page.comesTo(`audit?request_id=${id}`);
  await page.row('created acme').waitFor();
  await openBox(page);
  await box(page).fill('0b5ad3ab-8f52-4d0e-9a6a-0123456789ab');
  await page.shows('The audit log has no request of this id');
});

test('each kind of token has its verdict, and so has garbage', async () => {
  const { page, api, token } = await begin();
  const own = await createGroup(api, 'acme', { name: 'Acme' });
  await page.visit('inspect');
  const verdict = async (text: string) => {
    await page.field('Token').fill(text);
    await page.button('Inspect').click();
    await page.tab.locator('.bone').first().waitFor({ state: 'detached' });
    return page.tab.locator('.outcome').innerText();
  };
  const last = `Token no. 1 (…${own.slice(-4)}) of Acme.`;
  expect(await page.read(`Accepted. ${last}`, () => verdict(own))).toBe(`Accepted. ${last}`);
  await api.call('POST', '/api/v1/user-groups/acme/suspend');
  const refused = `Refused: its group is suspended. ${last}`;
  expect(await page.read(refused, () => verdict(own))).toBe(refused);
  expect(await page.accessibilityViolations()).toEqual([]);
  await page.tab.getByRole('link', { name: 'Open the group' }).waitFor();
  const accepted = expect.stringMatching(/^Accepted\. API token /);
  expect(await page.read(accepted, () => verdict(token))).toEqual(accepted);
  expect(
    await page.read('Cut off or mistyped: the last characters do not match.', () =>
      verdict(`${own}x`),
    ),
  ).toBe('Cut off or mistyped: the last characters do not match.');
  const unknown = 'This workspace never issued it.';
  expect(await page.read(unknown, () => verdict('garbage'))).toBe(unknown);
  await page.shows('It may be no token at all, a token of another workspace');
});

test('the next step of a refused token is a button, where the session may take it', async () => {
  const { page, api, workspace } = await begin();
  const own = await createGroup(api, 'acme', { name: 'Acme' });
  const inspect = async (one: typeof page) => {
    await one.visit('inspect');
    await one.field('Token').fill(own);
    await one.button('Inspect').click();
  };
  await api.call('POST', '/api/v1/user-groups/acme/suspend');
  await inspect(page);
  await page.button('Resume').click();
  await page.shows(/^Accepted\./);
  await api.call('POST', '/api/v1/workspace/end-tokens', {
    kinds: ['user_group_token'],
    reason: 'a backup was lost',
  });
  const scopes = ['user-groups:read', 'user-group-tokens:read', 'tokens:inspect'] as const;
  const support = (await begin({ workspace, scopes })).page;
  await inspect(support);
  await support.shows(/^Issue a new token for the group, and put it into the page \(/);
  expect(await support.read(0, () => support.button('Issue a new token').count())).toBe(0);

  await inspect(page);
  await page.button('Issue a new token').click();
  await page.dialog('Rotate').getByRole('button', { name: 'Rotate', exact: true }).click();
  const fresh = await page.readSecret();
  await page.button('Done').click();
  await page.shows(/^Refused: it was ended together with others/);
  await inspect(support);
  await support.button('Copy the current token').click();
  await support.shows('Token copied');
  expect(await support.read(fresh, () => support.clipboard())).toBe(fresh);
  const without = (await begin({ workspace, scopes: ['user-groups:read', 'tokens:inspect'] })).page;
  await inspect(without);
  await without.shows(/^Refused: it was ended together with others/);
  expect(await without.read(0, () => without.button('Copy the current token').count())).toBe(0);
});

test('a session without the scope is told which one it needs', async () => {
  const scopes = allScopes.filter((scope) => !['admin', 'tokens:inspect'].includes(scope));
  const { page, api } = await begin({ scopes });
  const own = await createGroup(api, 'acme');
  await page.visit('groups');
  await openBox(page);
  await box(page).fill(own);
  await page.dialog('Find').getByText('You need the tokens:inspect scope to inspect it').waitFor();
  expect(
    await page.read([expect.stringContaining('Report as leaked…')], () =>
      options(page).allInnerTexts(),
    ),
  ).toEqual([expect.stringContaining('Report as leaked…')]);
  await page.press('Escape');
  await page.visit('inspect');
  await page.heading('You need the tokens:inspect scope').waitFor();
});

test('a token that is pasted into a search can be inspected instead', async () => {
  const { page, api } = await begin();
  const own = await createGroup(api, 'acme');
  await page.visit('groups');
  await page.field('Search by name, id or property value').fill(own);
  await page.button('Inspect it').click();
  await page.comesTo('inspect');
  await page.shows('Accepted. Token no. 1');
});

test('a token is known wherever it stands in a text, and gets into no address', async () => {
  const { page, api } = await begin();
  const own = await createGroup(api, 'acme');
  const texts = ['whsec_c2VjcmV0', `Bearer uga_${'0'.repeat(38)}`, `"${own}"`, `Token ${own}`];
  const asked: string[] = [];
  page.tab.on('request', (call) => asked.push(decodeURIComponent(call.url())));
  await page.visit('groups');
  await page.row('acme').waitFor();
  const search = page.field('Search by name, id or property value');
  for (const text of texts) {
    await search.fill(text);
    await page.tab.getByText('Tokens are not searched for').last().waitFor();
    // A refused text is the only one that does not stay.
    expect([text, await page.read('', () => search.inputValue())]).toEqual([text, '']);
  }
  await page.comesTo('groups');
  await openBox(page);
  for (const text of texts) {
    await box(page).fill(text);
    const offered = [
      'Inspect this token',
      ...(text.startsWith('whsec_') ? [] : ['Report as leaked…']),
    ];
    expect([
      text,
      await page.read(offered, () => page.tab.locator('.finder-name').allInnerTexts()),
    ]).toEqual([text, offered]);
  }
  await page.press('Enter');
  await page.shows('Accepted. Token no. 1');
  expect(asked.filter((url) => /ug[ta]_|whsec_/.test(url))).toEqual([]);
});

test('of two pasted tokens the later one is explained, however long the first takes', async () => {
  const { page, api } = await begin();
  const tokens = [await createGroup(api, 'slow'), await createGroup(api, 'fast')];
  const release = await page.hold(/\/tokens\/inspect$/, (request) =>
    Boolean(request.postData()?.includes(tokens[0]!)),
  );
  await page.visit('inspect');
  const ended = page.tab.waitForEvent('requestfailed');
  for (const token of tokens) {
    const asking = page.tab.waitForRequest(/\/tokens\/inspect$/);
    await page.tab.evaluate(`navigator.clipboard.writeText(${JSON.stringify(token)})`);
    await page.press('Control+v');
    await asking;
  }
  await page.shows(/^Accepted\..* of fast\.$/);
  release();
  await ended;
  await page.shows(/^Accepted\..* of fast\.$/);
});

test('a text that may be a token of another system is inspected, and searched for only where that is asked for', async () => {
  const { page, api } = await begin();
  const imported = 'live_9f8e7d6c5b4a39281706';
  const long = 'a-long-id-of-a-customer-in-emea';
  const line = JSON.stringify({ user_group_id: long, name: 'Moved', token: imported });
  await api.send({
    method: 'POST',
    path: '/api/v1/user-groups/import',
    body: line,
    headers: NDJSON,
  });
  const asked: string[] = [];
  page.tab.on('request', (call) => asked.push(call.url()));
  const offered = ['Inspect it', 'Report as leaked…', 'Search for it: it is an id'];
  await page.visit('groups');
  await page.row('Moved').waitFor();
  await page.tab.evaluate(NOTE_ADDRESSES);
  await openBox(page);
  await page.tab.keyboard.insertText(imported);
  expect(await page.read(offered, () => page.tab.locator('.finder-name').allInnerTexts())).toEqual(
    offered,
  );
  await page.press('Enter');
  await page.shows(/^Accepted\. .* of Moved\.$/);
  await page.visit('groups');
  await page.row('Moved').waitFor();
  const search = page.field('Search by name, id or property value');
  await search.fill(imported);
  await page.shows('It may be a token.');
  await search.press('Enter');
  await page.shows(/^Accepted\. .* of Moved\.$/);
  expect(asked.join('\n') + (await page.tab.evaluate<string>('location.href'))).not.toContain(
    imported,
  );

  await page.visit('groups');
  await search.fill(long);
  await page.button('Search for it').click();
  await page.comesTo(`groups?search=${long}`);
  await page.row('Moved').waitFor();
  await page.tab.getByText('It may be a token.').waitFor({ state: 'detached' });
  await openBox(page);
  await box(page).fill(long);
  await options(page).filter({ hasText: 'it is an id' }).click();
  await page.comesTo(`groups?search=${long}`);
  await page.row('Moved').waitFor();
});

test('the box searches on until it has looked at all groups, and counts groups alone', async () => {
  const { page, api } = await begin();
  await createGroup(api, 'oldest', { name: 'Overview of Fabrikam' });
  const lines = Array.from({ length: 2500 }, (_, at) =>
    JSON.stringify({ user_group_id: `g${at}`, name: `Group ${at}` }),
  );
  await api.send({
    method: 'POST',
    path: '/api/v1/user-groups/import',
    body: lines.join('\n'),
    headers: NDJSON,
  });
  const goOn = await page.hold(/user-groups\?.*cursor=/);
  await page.visit('sessions');
  await openBox(page);
  await box(page).fill('overview');
  await page.shows('0 found. Searched 1,000 of 2,501…');
  goOn();
  await options(page).filter({ hasText: 'Overview of Fabrikam' }).waitFor();
  await page.shows('1 user group found');
  await box(page).fill('Group 3');
  await page.shows('8 user groups found so far.');
  page.takeAnyRefusals(404);
});
