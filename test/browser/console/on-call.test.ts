import { NDJSON } from '../../support/api/api-client.ts';
import { zoneAtNoon } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import { IMPORT, toLines } from '../../support/api/lines.ts';
import { until } from '../../support/time/until.ts';

onEachDatabase((kind) => {
  const { begin } = withConsole(kind);

  test('a blank dashboard is explained and mended from the page of its group, whatever the cause', async () => {
    const { page, api } = await begin({ timezone: zoneAtNoon() });
    for (const id of ['suspended', 'ended', 'lacking', 'ended-together', 'overlap-over']) {
      await createGroup(api, id);
    }
    const group = (id: string) => `/api/v1/user-groups/${id}`;
    const isActive = async (id: string) =>
      api.isActive((await api.get({ user_group_id: id })).body.user_group.token);
    await api.call('POST', `${group('suspended')}/suspend`);
    await api.call('PATCH', group('ended'), { valid_until: new Date().toISOString() });
    const properties = { plan: 'team' };
    for (const id of ['suspended', 'ended', 'ended-together', 'overlap-over']) {
      await api.call('PATCH', group(id), { properties });
    }
    await api.call('PATCH', '/api/v1/workspace', {
      variables: [{ name: 'plan', type: 'string', required: true }],
    });

    await page.visit('groups/suspended/view');
    await page.shows(/^Inactive because the group is suspended\./);
    await page.button('Resume').click();
    await page.shows('A renderer gets all of this.');
    expect(await isActive('suspended')).toBe(true);

    await page.visit('groups/ended');
    await page.shows(/^No token of this group works\. Ended today/);
    await page.button('Remove the end').click();
    await page.button('Undo').click();
    await page.row('No. 1').getByText('inactive').waitFor();
    await page.button('Remove the end').click();
    await page.row('No. 1').getByText('current').waitFor();
    expect(await isActive('ended')).toBe(true);

    await page.visit('groups/lacking');
    await page.tab.getByRole('link', { name: 'When it became required' }).waitFor();
    await page.button('Fill in what is missing').click();
    await page.field('Value of property 1').fill('team');
    await page.button('Save').click();
    await page.row('No. 1').getByText('current').waitFor();
    expect(await isActive('lacking')).toBe(true);

    // The mapping cannot name a schema before it is registered.
    await api.call('POST', '/api/v1/data-sources', { provided_id: 'warehouse', name: 'Warehouse' });
    await api.call('PATCH', '/api/v1/workspace', { mapping_policy: 'registered' });
    await page.button('Edit').click();
    await page.button('Add an entry').click();
    await page.field('Schema 1').fill('sales');
    await page.tab.getByRole('option', { name: 'Register sales' }).click();
    await page.tab.getByRole('option', { name: 'Register sales' }).waitFor({ state: 'detached' });
    await page.field('Data source 1').fill('warehouse');
    await page.button('Save').click();
    await page.row('sales').getByText('Warehouse', { exact: true }).waitFor();

    const { token: old } = (await api.get({ user_group_id: 'overlap-over' })).body.user_group;
    await api.rotate(old, 0);
    await page.visit('groups/overlap-over/view');
    await page.tab.getByRole('link', { name: 'inspect it' }).click();
    await page.field('Token').fill(old);
    await page.button('Inspect').click();
    await page.shows(/^Refused: a newer token has replaced it\./);
    await page.tab.getByRole('link', { name: 'Open the group' }).click();
    await page.row('No. 1').getByText('a newer token has replaced it').waitFor();

    await page.visit('leaked');
    await page.button('End all…').click();
    const kinds = ['user_group_token'];
    const preview = await api.call('POST', '/api/v1/workspace/end-tokens', {
      kinds,
      reason: 'preview',
      dry_run: true,
    });
    const count = /"count":(\d+)/.exec(preview.text)![1]!;
    expect(Number(count)).toBeGreaterThan(1);
    await page.shows(`Now ${count} user-group tokens would end.`);
    await page.field('Reason').fill('a backup was lost');
    await page.field('Type end all to confirm').fill('end all');
    await page.button('End all').click();
    await page.shows(/^Ended: tokens issued before/);
    await page.visit('groups/ended-together');
    await page.shows(
      /^No token of this group works\.\s+Its token was ended together with all others of the workspace\./,
    );
    await page.shows(/^It opens nothing now\./);
    await page.button('Issue a new token').click();
    await page
      .dialog('Rotate the token')
      .getByRole('button', { name: 'Rotate', exact: true })
      .click();
    await page.readSecret();
    await page.button('Done').click();
    await page.row('No. 2').getByText('current').waitFor();
    expect(await isActive('ended-together')).toBe(true);
  });

  test('of a text with 250 leaked tokens each is ended, in parts that go on after a failure, and reported', async () => {
    const { page, api } = await begin();
    const ids = Array.from({ length: 250 }, (_, n) => `g${n}`);
    const tokens = await Promise.all(ids.map((id) => createGroup(api, id)));
    const kept = await createGroup(api, 'kept');
    await api.rotate(tokens[1]!, 0);
    let calls = 0;
    await page.tab.route('**/report-leaked', (route) =>
      !route.request().postData()?.includes('"dry_run"') && ++calls === 2
        ? route.abort()
        : route.continue(),
    );
    await page.visit('leaked');
    const log = tokens.map((token) => `12:00 user=x token=${token}; ok`);
    const strange = 'uga_000000000000000000000000000000000000';
    await page
      .field('Tokens')
      .fill([...log, ...log.slice(0, 3), 'a word', `"${strange}00"`].join('\n'));
    await page.button('End 251 tokens').click();
    await page.field('Type 251 to confirm').fill('251');
    await page
      .dialog(/^End \d+ token/)
      .getByRole('button', { name: /^End / })
      .click();
    await page.shows('The service could not be reached.');
    await page.shows('99 ended, 1 already inactive');
    await page.button('End 151 tokens').click();
    await page.field('Type 151 to confirm').fill('151');
    await page
      .dialog(/^End \d+ token/)
      .getByRole('button', { name: /^End / })
      .click();
    await page.shows('249 ended, 1 already inactive, 1 not one of ours');
    expect(await page.read('', () => page.field('Tokens').inputValue())).toBe('');
    expect(calls).toBe(4);

    const text = await page.saved(page.button('Save the report'));
    const report = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(report).toHaveLength(251);
    expect(report[0]).toEqual({
      last_four: tokens[0]!.slice(-4),
      kind: 'user_group_token',
      result: 'ended',
      provided_id: 'g0',
    });
    expect(text).not.toContain('ugt_');
    expect(await Promise.all(tokens.map((token) => api.isActive(token)))).toEqual(
      ids.map(() => false),
    );
    expect(await api.isActive(kept)).toBe(true);
    expect(
      await page.read(expect.stringMatching(/#\/leaked$/), () =>
        page.tab.evaluate<string>('location.href'),
      ),
    ).toMatch(/#\/leaked$/);
    page.takeAnyRefusals(0);
    page.complaints.splice(
      0,
      Infinity,
      ...page.complaints.filter((one) => !one.includes('ERR_FAILED')),
    );
  });

  test('tokens that are pasted into the finder are taken to the page that ends them', async () => {
    const { page, api } = await begin();
    const tokens = [await createGroup(api, 'one'), await createGroup(api, 'two')];
    await page.visit();
    await page.press('Control+k');
    await page.dialog('Find').waitFor();
    await page.tab.keyboard.insertText(tokens.join(' '));
    await page.tab.getByRole('option', { name: 'End 2 leaked tokens' }).click();
    await page.comesTo('leaked');
    await page.button('End 2 tokens').waitFor();
    expect(await page.accessibilityViolations()).toEqual([]);
  });

  test('what a tenant has seen at a moment is the first thing of its history', async () => {
    const { page, api } = await begin();
    const token = await createGroup(api, 'acme', { properties: { plan: 'team' } });
    const moment = new Date().toISOString();
    const at = moment.slice(0, 23);
    await until(() => new Date().toISOString() !== moment);
    await api.rotate(token, 0);
    await api.put({ user_group_id: 'acme', name: 'Acme', properties: { plan: 'enterprise' } });
    await page.visit('groups/acme');
    await page.tab.getByRole('link', { name: 'History' }).click();
    await page.field('Date and time').fill(at);
    await page.button('Show').click();
    await page.shows(/"plan": "team"/);
    const tokens = page.tab.getByRole('status').filter({ hasText: 'Token no. 1' });
    expect(
      await page.read(expect.stringContaining('accepted'), () => tokens.innerText()),
    ).toContain('accepted');
    await page.field('Date and time').fill('2020-03-02T14:37');
    await page.button('Show').click();
    await page.shows('There was no group with this id then.');
    page.takeAnyRefusals(404);
  });

  test('what may be a token of another system is counted apart, and the report outlasts a look at a group', async () => {
    const { page, api } = await begin();
    const imported = 'live_9f8e7d6c5b4a39281706';
    const own = await createGroup(api, 'own');
    const line = { user_group_id: 'moved', name: 'Moved', token: imported };
    await api.call('POST', IMPORT, toLines(line), NDJSON);
    const text = [own, '/var/log/nginx/access.log', imported].join('\n');
    await page.visit('leaked');
    await page.field('Tokens').fill(text);
    await page.button('End 1 token').click();
    await page.field('Type 1 to confirm').fill('1');
    await page
      .dialog(/^End \d+ token/)
      .getByRole('button', { name: /^End / })
      .click();
    await page.shows('1 ended');
    expect(await api.isActive(imported)).toBe(true);
    await page.field('Tokens').fill(text);
    await page.tab
      .getByRole('checkbox', { name: 'End also 2 lines that may be tokens of another system' })
      .check();
    await page.button('End 2 tokens').click();
    await page.field('Type 2 to confirm').fill('2');
    await page
      .dialog(/^End \d+ token/)
      .getByRole('button', { name: /^End / })
      .click();
    await page.shows('2 ended, 1 not one of ours');
    expect(await api.isActive(imported)).toBe(false);

    await page.row('moved').getByRole('link').click();
    await page.heading('Moved').waitFor();
    await page.tab.goBack();
    await page.shows('2 ended, 1 not one of ours');
    const asked = new Promise<string>((resolve) => {
      page.tab.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    page.tab.reload().catch(() => undefined);
    expect(await asked).toBe('beforeunload');
    await page.shows('2 ended, 1 not one of ours');
  });
});
