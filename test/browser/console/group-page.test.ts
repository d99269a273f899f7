import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { scopes } from '../../../src/platform/common/access/caller.ts';
import { byEachHand, zoneAtNoon } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';

const run = promisify(execFile);

const NUMBERS = '{"big":9007199254740991,"share":100,"less":-0.5}';

// The page shows the same of a group on each database.
const { begin } = withConsole('sqlite');

/** Runs a call that the page has given, as somebody pastes it, and gives its response. */
async function paste(call: string, token: string): Promise<string> {
  return (await run('sh', ['-c', `${call} -s`], { env: { ...process.env, TOKEN: token } })).stdout;
}

byEachHand((hand) => {
  test('the view shows what a renderer gets, with the names of the registry and every digit', async () => {
    const { page, api } = await begin({ hand });
    await api.call('POST', '/api/v1/data-sources', {
      provided_id: 'warehouse',
      name: 'Warehouse EMEA',
    });
    await api.call('PATCH', '/api/v1/workspace', {
      variables: [{ name: 'less', type: 'number', required: true }],
    });
    const path = '/api/v1/user-groups/acme';
    const body = `{"name":"Acme","mapping":{"sales":"warehouse","raw":42},"properties":${NUMBERS}}`;
    await api.send({ method: 'PUT', path, body });
    await page.visit('groups/acme');
    await page.use(page.tab.getByRole('link', { name: 'View as tenant' }));
    await page.comesTo('groups/acme/view');
    await page.shows('A renderer gets all of this.');
    const rows = async (name: string) =>
      (await page.tab.getByRole('region', { name }).locator('tbody tr').allInnerTexts()).map(
        (row) => row.split(/\s*\t\s*/),
      );
    const sources = [
      ['raw', '42', '–'],
      ['sales', '"warehouse"', 'Warehouse EMEA'],
    ];
    expect(await page.read(sources, () => rows('Data sources'))).toEqual(sources);
    const variables = [
      ['less', '-0.5', 'number', 'properties (required)'],
      ['big', '9007199254740991', 'number', 'properties'],
      ['share', '100', 'number', 'properties'],
    ];
    expect(await page.read(variables, () => rows('Variables'))).toEqual(variables);

    // Nothing is registered under this number.
    page.takeAnyRefusals(404);
    await api.call('PATCH', '/api/v1/workspace', {
      variables: [{ name: 'plan', type: 'string', required: true }],
    });
    await api.call('POST', `${path}/suspend`);
    await page.visit('groups/acme/view');
    await page.shows(/^Inactive because the group is suspended\. And missing: plan \(text\)\.$/);
    await page.row('plan').getByText('missing').waitFor();
    expect(await page.read(2, async () => (await rows('Data sources')).length)).toBe(2);
    await page.settle();
    page.takeAnyRefusals(404);
  });

  test('the view is copied as a call, whatever the id of the group', async () => {
    const id = `o'hara "$HOME" (\\ \`id\`)?`;
    const { page, api, token } = await begin({ hand });
    await createGroup(api, id);
    await page.visit(`groups/${encodeURIComponent(id)}/view`);
    await page.use(page.button('Copy as curl'));
    await page.shows('The call is copied');
    const { view } = JSON.parse(await paste(await page.clipboard(), token)) as {
      view: { introspection: object };
    };
    expect(view.introspection).toMatchObject({ active: true, sub: id });
  });

  test('the ID of a group is changed, unless it is taken, and its page says so by the former one', async () => {
    const { page, api } = await begin({ hand });
    await createGroup(api, 'acme');
    await createGroup(api, 'globex');
    const { team_id: teamId } = (await api.call('GET', '/api/v1/user-groups/acme')).body.user_group;
    await page.visit('groups/acme');
    await page.use(page.button('Change'));
    const dialog = page.dialog('Change the ID');
    const change = dialog.getByRole('button', { name: 'Change', exact: true });
    await page.write(page.field('ID'), 'globex');
    await page.use(change);
    await dialog.getByText('Another user group has the id "globex".').waitFor();
    page.takeRefusal(409);
    await page.write(page.field('ID'), 'acme-emea');
    await page.use(change);
    await page.tab.waitForURL(/groups\/acme-emea$/);
    const renamed = (await api.call('GET', '/api/v1/user-groups/acme-emea')).body.user_group;
    expect(renamed.team_id).toBe(teamId);
    await page.visit('groups/acme');
    await page.shows('The user group "acme" has the id "acme-emea" now.');
    page.takeAnyRefusals(409);
  });

  test('an embed token is issued, shown with its claims, and accepted', async () => {
    const { page, api, token } = await begin({ hand });
    await createGroup(api, 'acme');
    await page.visit('groups/acme/view');
    await page.use(page.button('Issue an embed token'));
    await page.write(page.field('Audience'), 'https://dashboards.example.com');
    await page.write(page.field('Origin'), 'https://app.example.com/path');
    await page.write(page.field('Minutes'), '5');
    await page.use(page.button('Issue'));
    await page.dialog('Issue an embed token').getByText('Not saved.').waitFor();
    page.takeRefusal(422);
    expect(await page.read('true', () => page.field('Origin').getAttribute('aria-invalid'))).toBe(
      'true',
    );
    expect(await page.getsFocus(page.field('Origin'))).toBe(true);
    await page.write(page.field('Origin'), 'https://app.example.com');
    await page.use(page.dialog('Issue').getByRole('button', { name: 'Copy as curl' }));
    await page.shows('The call is copied');
    const call = await page.clipboard();
    await page.use(page.button('Issue'));
    await page.dialog('The embed token').waitFor();
    const claims = JSON.parse(
      await page.tab.getByRole('region', { name: 'Claims' }).innerText(),
    ) as Claims;
    expect(claims).toMatchObject({
      sub: 'acme',
      aud: 'https://dashboards.example.com',
      origin: 'https://app.example.com',
    });
    expect(claims.exp - claims.iat).toBe(300);
    expect(await api.isActive(await page.readSecret())).toBe(true);
    expect(page.tab.url()).not.toContain('eyJ');
    const pasted = JSON.parse(await paste(call, token)) as { embed_token: { token: string } };
    expect(await api.isActive(pasted.embed_token.token)).toBe(true);
    await page.use(page.button('Done'));
    expect(
      await page.read(expect.not.stringContaining('eyJ'), () => page.tab.content()),
    ).not.toContain('eyJ');
  });

  test('support views as the group, which the workspace can forbid', async () => {
    const workspace = `support-${hand}`;
    const { api } = await begin({ workspace });
    await createGroup(api, 'acme');
    const { page } = await begin({
      workspace,
      hand,
      scopes: ['user-groups:read', 'user-groups:view-as'],
    });
    const issue = async () => {
      await page.visit('groups/acme/view');
      await page.use(page.button('Issue an embed token'));
      await page.write(page.field('Audience'), 'dashboards');
      await page.write(page.field('Who looks'), 'kim@support.example.com');
      await page.write(page.field('Why'), 'Ticket 4711');
      await page.use(page.button('Issue'));
    };
    await issue();
    await page.dialog('The embed token').waitFor();
    const claims = await page.tab.getByRole('region', { name: 'Claims' }).innerText();
    expect(JSON.parse(claims)).toMatchObject({ act: { sub: 'kim@support.example.com' } });
    // Digits could be those of a time or of a random id.
    expect(claims).not.toContain('Ticket');
    await page.readSecret();
    await api.call('PATCH', '/api/v1/workspace', { view_as: 'forbidden' });
    await issue();
    await page
      .dialog('Issue an embed token')
      .getByText('The workspace forbids embed tokens')
      .waitFor();
    page.takeRefusal(403);
  });
});

test('who may not issue embed tokens is not offered them, and who may not see the registry sees no names', async () => {
  const { api, workspace } = await begin({ scopes });
  await api.call('POST', '/api/v1/data-sources', {
    provided_id: 'warehouse',
    name: 'Warehouse EMEA',
  });
  await createGroup(api, 'acme', { mapping: { sales: 'warehouse' } });
  const { page } = await begin({ workspace, scopes: ['user-groups:read'] });
  await page.visit('groups/acme/view');
  await page.row('sales').getByText('warehouse').waitFor();
  expect(
    await page.read(expect.not.stringContaining('Warehouse EMEA'), () =>
      page.row('sales').innerText(),
    ),
  ).not.toContain('Warehouse EMEA');
  expect(await page.read(0, () => page.button('Issue an embed token').count())).toBe(0);
  expect(await page.read(1, () => page.button('Copy as curl').count())).toBe(1);
});

interface Claims {
  iat: number;
  exp: number;
}

test('support sees the tokens of a group, and why one is refused, without the scope of administrators', async () => {
  const { api, workspace } = await begin();
  await api.rotate(await createGroup(api, 'acme'), 0);
  await api.rotate((await api.get({ user_group_id: 'acme' })).body.user_group.token, 3600);
  const { page } = await begin({ workspace, scopes: ['user-groups:read'] });
  await page.visit('groups/acme');
  await page.row('No. 3').getByText('current').waitFor();
  await page.row('No. 2').getByText('Old token').waitFor();
  await page.row('No. 1').getByText('a newer token has replaced it').waitFor();
  expect(await page.read(0, () => page.button('Revoke now').count())).toBe(0);
});

test('a group that is suspended says since when, and by whom', async () => {
  const { page, api } = await begin({ timezone: zoneAtNoon() });
  await api.call('PUT', '/api/v1/user-groups/acme', { name: 'Acme Inc.' });
  await api.call('POST', '/api/v1/user-groups/acme/suspend');
  const { body } = await api.call('GET', '/api/v1/audit-events?types=user_group.suspend');
  const { actor } = body.audit_events[0] as unknown as { actor: { api_token_id: number } };
  const own = await api.call('GET', `/api/v1/api-tokens/${actor.api_token_id}`);
  await page.visit('groups/acme');
  const { name } = (own.body as unknown as { api_token: { name: string } }).api_token;
  await page.tab
    .locator('.note')
    .filter({ hasText: `Suspended today` })
    .filter({ hasText: `by ${name}.` })
    .waitFor();
});
