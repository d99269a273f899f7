import { type ApiClient, NDJSON } from '../../support/api/api-client.ts';
import { byHandOn, zoneAtNoon } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';

/** The same numbers, first as a person writes them, then as the API stores them. */
const TYPED = '{"big":9007199254740991,"share":1e2,"less":-0.5}';
const NUMBERS = '{"big":9007199254740991,"share":100,"less":-0.5}';

onEachDatabase((kind) => {
  const { service, begin } = withConsole(kind);

  const stored = async (api: ApiClient, id: string) =>
    (await api.call('GET', `/api/v1/user-groups/${encodeURIComponent(id)}`)).body.user_group;
  const actions = async (api: ApiClient) =>
    (await api.call('GET', '/api/v1/audit-events')).body.audit_events.map(({ action }) => action);

  byHandOn(kind, (hand) => {
    test('where there are none the page says how to begin', async () => {
      const { page } = await begin({ hand });
      await page.visit('groups');
      await page.shows('There are no user groups yet');
      const region = page.tab.getByRole('region', { name: /paste/ });
      await region.getByText(`curl -X PUT ${service.baseUrl}/api/user`).first().waitFor();
      const call = (await region.innerText()).trim();
      expect(call).toContain(`curl -X PUT ${service.baseUrl}/api/user`);
      await page.use(page.button('Copy the call'));
      expect(await page.read(call, async () => (await page.clipboard()).trim())).toBe(call);
    });

    test('one is created and edited, with every number as it is written', async () => {
      const { page, api } = await begin({ hand });
      await page.visit('groups');
      await page.use(page.button('New user group'));
      await page.write(page.field('ID'), 'acme/emea?');
      await page.write(page.field('Name'), 'Acme EMEA');
      await page.use(page.json('Mapping'));
      await page.write(page.field('Mapping'), '{"sales": "warehouse"}');
      await page.use(page.json('Properties'));
      await page.write(page.field('Properties'), TYPED);
      const sent = page.tab.waitForRequest((call) => call.method() === 'PUT');
      await page.use(page.button('Create'));
      await page.heading('Acme EMEA').waitFor();
      expect((await sent).postData()?.replaceAll(/\s/g, '')).toContain(`"properties":${TYPED}`);
      const path = `/api/v1/user-groups/${encodeURIComponent('acme/emea?')}`;
      expect((await api.call('GET', path)).text).toContain(`"properties":${NUMBERS}`);
      await page.use(page.button('Copy the id'));
      expect(await page.read('acme/emea?', () => page.clipboard())).toBe('acme/emea?');
      const shown = page.tab.getByRole('region', { name: 'Properties' });
      const numbers = async () => (await shown.innerText()).replaceAll(/\s/g, '');
      expect(await page.read(NUMBERS, numbers)).toBe(NUMBERS);

      await page.use(page.button('Edit'));
      await page.write(page.field('Name'), 'Acme Europe');
      await page.use(page.json('Properties'));
      const properties = page.tab.getByRole('textbox', { name: 'Properties' });
      await page.write(properties, '{"big": 9007199254740993}');
      await page.use(page.button('Save'));
      await page.dialog('Edit').getByText('The number would lose digits').waitFor();
      expect(await page.getsFocus(properties)).toBe(true);
      page.takeRefusal(422);
      await page.write(properties, TYPED);
      await page.use(page.button('Save'));
      await page.heading('Acme Europe').waitFor();
      const { text, body } = await api.call('GET', path);
      expect(text).toContain(`"properties":${NUMBERS}`);
      expect(body.user_group).toMatchObject({
        name: 'Acme Europe',
        mapping: { sales: 'warehouse' },
      });
    });

    test('what is no JSON cannot be sent, and what the API refuses is said in its words', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme');
      await page.visit('groups');
      await page.use(page.button('New user group'));
      await page.write(page.field('ID'), 'acme');
      await page.write(page.field('Name'), 'Acme');
      await page.use(page.json('Properties'));
      await page.write(page.field('Properties'), '{"a": }');
      expect(await page.read(true, () => page.button('Create').isDisabled())).toBe(true);
      await page.write(page.field('Properties'), '{"a": 1,\n "a": 2}');
      await page.shows('Line 2 repeats the key "a".');
      expect(await page.read(true, () => page.button('Create').isDisabled())).toBe(true);
      await page.write(page.field('Properties'), '{"a": 1}');
      await page.use(page.button('Create'));
      await page
        .dialog('New user group')
        .getByText('A group with the id acme exists already.')
        .waitFor();
      page.takeRefusal(412);
      expect(await page.read('true', () => page.field('ID').getAttribute('aria-invalid'))).toBe(
        'true',
      );
      expect(await page.getsFocus(page.field('ID'))).toBe(true);
      expect((await stored(api, 'acme')).properties).toEqual({});
      await page.write(page.field('ID'), '..');
      await page.shows('choose another id');
      expect(await page.read(true, () => page.button('Create').isDisabled())).toBe(true);
      await page.write(page.field('ID'), 'acme');
      await page.use(page.tab.getByRole('link', { name: 'Open it' }));
      await page.heading('acme').waitFor();
    });

    test('nobody overwrites what somebody else has changed meanwhile', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme', { properties: { a: 1 } });
      await page.visit('groups/acme');
      await page.use(page.button('Edit'));
      await page.write(page.field('Name'), 'Mine');
      await api.put({ user_group_id: 'acme', name: 'Theirs', properties: { a: 2 } });
      await page.use(page.button('Save'));
      await page.dialog('Edit').getByText('Both of you changed the same').waitFor();
      page.takeRefusal(412);
      expect((await stored(api, 'acme')).name).toBe('Theirs');
      await page.use(page.button('Compare'));
      const compared = page.dialog('Edit').getByRole('region', { name: 'What differs' });
      const cells = async () => (await compared.locator('tbody').innerText()).split(/\s+/);
      const differences = ['name', '"acme"', '"Theirs"', '"Mine"', 'properties.a', '1', '2', '1'];
      expect(await page.read(differences, cells)).toEqual(differences);
      await page.use(page.button('Take theirs'));
      await page.read('Theirs', () => page.field('Name').inputValue());
      await page.write(page.field('Name'), 'Mine after all');
      await api.put({ user_group_id: 'acme', name: 'Theirs again' });
      await page.use(page.button('Save'));
      await page.use(page.button('Keep mine and save'));
      page.takeRefusal(412);
      await page.heading('Mine after all').waitFor();
      expect(await stored(api, 'acme')).toMatchObject({
        name: 'Mine after all',
        properties: { a: 2 },
      });
    });

    test('they are found, filtered and sorted, and a reload shows the same', async () => {
      const { page, api } = await begin({ hand });
      const words = { a: 'alder', b: 'birch', c: 'cedar', d: 'dogwood' };
      for (const [id, wood] of Object.entries(words)) {
        await createGroup(api, `id-${id}`, { name: `Group ${wood}`, properties: { tree: wood } });
      }
      for (const id of ['b', 'c']) await api.call('POST', `/api/v1/user-groups/id-${id}/suspend`);
      const names = () => page.tab.locator('tbody .row-link').allInnerTexts();
      const expectNames = async (...trees: string[]) => {
        const wanted = trees.map((tree) => `Group ${tree}`);
        expect(await page.read(wanted, names)).toEqual(wanted);
      };
      await page.visit('groups');
      // The latest first.
      await expectNames('dogwood', 'cedar', 'birch', 'alder');
      await page.use(page.button('User group'));
      await expectNames('alder', 'birch', 'cedar', 'dogwood');
      await page.use(page.button('User group'));
      await expectNames('dogwood', 'cedar', 'birch', 'alder');
      await page.select(page.tab.getByRole('combobox', { name: 'Status' }), 'suspended');
      await expectNames('cedar', 'birch');
      await page.write(page.field('Search by name, id or property value'), 'BIRCH');
      await expectNames('birch');
      const place = 'groups?sort=-name&status=suspended&search=BIRCH';
      await page.comesTo(place);
      await page.tab.reload();
      await expectNames('birch');
      await page.comesTo(place);
      expect(
        await page.read('suspended', () =>
          page.tab.getByRole('combobox', { name: 'Status' }).inputValue(),
        ),
      ).toBe('suspended');
      await page.use(page.button('Clear filters'));
      await expectNames('dogwood', 'cedar', 'birch', 'alder');
      await page.write(page.field('Search by name, id or property value'), 'nothing of it');
      await page.shows('No user group matches');
    });

    test('a long list goes on where that is asked for, and leads to each of its groups', async () => {
      const { page, api } = await begin({ hand });
      const lines = Array.from({ length: 60 }, (_, at) =>
        JSON.stringify({ user_group_id: `g${at}`, name: `Group ${at}` }),
      );
      const path = '/api/v1/user-groups/import';
      await api.send({ method: 'POST', path, body: lines.join('\n'), headers: NDJSON });
      await page.visit('groups');
      await page.shows('50 of 60 user groups');
      await page.use(page.button('Load more'));
      await page.shows('60 user groups');
      await page.use(page.tab.getByRole('link', { name: 'Group 0' }));
      await page.heading('Group 0').waitFor();
      await page.use(page.tab.locator('main').getByRole('link', { name: 'User groups' }));
      await page.row('Group 59').waitFor();
      await page.comesTo('groups');
    });

    test('the token is rotated at once, and shown on demand, which the audit log tells', async () => {
      const { page, api } = await begin({ hand });
      const first = await createGroup(api, 'acme');
      await page.visit('groups/acme');
      await page.use(page.button('Rotate'));
      await page.use(page.tab.getByRole('radio', { name: 'now' }));
      await page.use(page.button('Rotate and end the old token now'));
      await page.dialog('The new token').waitFor();
      const second = await page.readSecret();
      await page.use(page.button('Copy and close'));
      await page.dialog('The new token').waitFor({ state: 'detached' });
      expect(await page.read(second, () => page.clipboard())).toBe(second);
      await Promise.all([
        page.button('Copied').waitFor(),
        // A screen reader reads no status within a button.
        page.tab.locator('span[role=status]:not(button *)', { hasText: 'Copied' }).waitFor(),
        page.use(page.button('Copy the id')),
      ]);
      expect(await Promise.all([first, second].map((token) => api.isActive(token)))).toEqual([
        false,
        true,
      ]);
      expect(
        await page.read(expect.not.stringContaining(second), () => page.tab.content()),
      ).not.toContain(second);

      const shown = async () =>
        (await api.call('GET', '/api/v1/audit-events?types=user_group_token.show')).body
          .audit_events;
      const seen = expect.objectContaining({
        actor: expect.objectContaining({ type: 'api_token', request_id: expect.any(String) }),
        object: { type: 'user_group', id: 'acme' },
        details: expect.objectContaining({ by: { current_token: 1 } }),
      });
      expect(await shown()).toEqual([]);
      await page.use(page.button('Reveal token'));
      await page.shows(second);
      // Nothing has to be waited for: who looks for a leak sees it now.
      expect(await shown()).toEqual([seen]);
      await page.use(page.button('Hide token'));
      await page.use(page.button('Copy token'));
      await page.shows('Token copied');
      expect(await page.read(second, () => page.clipboard())).toBe(second);
      expect(
        await page.read(expect.not.stringContaining(second), () => page.tab.content()),
      ).not.toContain(second);
      expect(await shown()).toEqual([seen, seen]);
    });

    test('a token is rotated with an overlap, which can be ended', async () => {
      const { page, api } = await begin({ hand });
      const first = await createGroup(api, 'acme');
      await page.visit('groups/acme');
      await page.use(page.button('Rotate'));
      await page.use(page.tab.getByRole('radio', { name: 'Custom' }));
      await page.write(page.field('Minutes'), '90');
      await page.use(
        page.dialog('Rotate the token of acme').getByRole('button', { name: 'Rotate' }),
      );
      await page.dialog('The new token').getByText('The old token works until').waitFor();
      const second = await page.readSecret();
      await page.use(page.button('Done'));
      await page
        .row('No. 1')
        .getByText(/Old token valid until/)
        .waitFor();
      expect(await Promise.all([api.isActive(first), api.isActive(second)])).toEqual([true, true]);
      await page.use(page.row('No. 1').getByRole('button', { name: 'Revoke now' }));
      await page.use(page.dialog('Revoke token no. 1').getByRole('button', { name: 'Revoke now' }));
      await page.row('No. 1').getByText('a request has revoked it').waitFor();
      expect(await Promise.all([api.isActive(first), api.isActive(second)])).toEqual([false, true]);
    });

    test('one is suspended, resumed and deleted, which asks for its id', async () => {
      const { page, api } = await begin({ hand, timezone: zoneAtNoon() });
      const token = await createGroup(api, 'acme');
      await page.visit('groups/acme');
      await page.use(page.button('Suspend'));
      await page.use(
        page.dialog('Suspend this user group').getByRole('button', { name: 'Suspend' }),
      );
      await page.shows('No token of this group works');
      expect(await api.isActive(token)).toBe(false);
      await page.use(page.button('Resume'));
      await page.button('Suspend').waitFor();
      expect(await api.isActive(token)).toBe(true);

      await page.use(page.button('Delete'));
      const submit = page.button('Delete for good');
      for (const typed of ['', 'acm', 'ACME', 'acme ']) {
        await page.write(page.field('Type its id acme to confirm'), typed);
        expect([typed, await page.read(true, () => submit.isDisabled())]).toEqual([typed, true]);
      }
      await page.write(page.field('Type its id acme to confirm'), 'acme');
      await page.use(submit);
      await page.heading('User groups').waitFor();
      expect((await api.call('GET', '/api/v1/user-groups/acme')).status).toBe(404);
      await page.visit('groups/acme');
      await page.shows('It was deleted today');
      page.takeRefusal(404);
      // The page that was left may have looked for the group once more, because the event of its end had arrived.
      page.takeAnyRefusals(404);
    });

    test('many are suspended, resumed, saved and deleted at once', async () => {
      const { page, api } = await begin({ hand });
      for (const id of ['a', 'b', 'c', 'd']) {
        await api.send({
          method: 'PUT',
          path: `/api/v1/user-groups/${id}`,
          body: `{"name":"Group ${id}","properties":${NUMBERS}}`,
        });
      }
      const states = async () => {
        const { body } = await api.call('GET', '/api/v1/user-groups');
        return body.user_groups.map((one) => `${one.provided_id}${one.suspended_at ? '!' : ''}`);
      };
      await page.visit('groups');
      const pick = async () => {
        await page.use(page.field('Select Group b'));
        await page.use(page.field('Select Group d'), 'Shift');
        await page.shows('3 user groups selected');
      };
      const bulk = page.tab.getByRole('region', { name: 'What is selected' });
      await page.use(page.field('Select all that are shown'));
      await page.shows('4 user groups selected');
      await page.use(bulk.getByRole('button', { name: 'Clear' }));
      await bulk.waitFor({ state: 'detached' });
      await page.use(page.field('Select all that are shown'));
      await page.write(page.field('Search by name, id or property value'), 'group b ');
      await page.tab.waitForURL(/search=group/);
      await bulk.waitFor({ state: 'detached' });
      // The blank before the next word.
      expect(
        await page.read('group b ', () =>
          page.field('Search by name, id or property value').inputValue(),
        ),
      ).toBe('group b ');
      await page.use(page.button('Clear filters'));
      await page.row('Group d').waitFor();
      await pick();
      await page.use(bulk.getByRole('button', { name: 'Suspend' }));
      await page.use(page.dialog('Suspend 3').getByRole('button', { name: 'Suspend' }));
      await page.shows('3 changed');
      expect(await states()).toEqual(['a', 'b!', 'c!', 'd!']);
      await page.visit('groups');
      await pick();
      await page.use(bulk.getByRole('button', { name: 'Resume' }));
      await page.use(page.dialog('Resume 3').getByRole('button', { name: 'Resume' }));
      await page.shows('3 changed');
      expect(await states()).toEqual(['a', 'b', 'c', 'd']);
      await page.visit('groups');
      await pick();
      const file = await page.saved(bulk.getByRole('button', { name: 'Export' }));
      const lines = file.trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual([
        'Group d',
        'Group c',
        'Group b',
      ]);
      for (const line of lines) expect(line).toContain(`"properties":${NUMBERS}`);
      await page.use(bulk.getByRole('button', { name: 'Delete' }));
      await page.write(page.field('Type 3 to confirm'), '3');
      await page.use(page.button('Delete for good'));
      await page.shows('3 changed');
      expect(await states()).toEqual(['a']);
    });

    test('a file is imported, and each refused line is told', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'old');
      const lines = [
        '{"user_group_id":"old","name":"Renamed"}',
        '{"user_group_id":"new","name":"New","properties":{"share":1e2}}',
        '{"user_group_id":"broken"',
        '{"user_group_id":"nameless"}',
      ];
      await page.visit('groups');
      await page.use(page.button('Import'));
      const dialog = page.dialog('Import user groups');
      await page.chooseFile(dialog.getByLabel('File'), 'groups.ndjson', lines.join('\n'));
      await page.use(dialog.getByRole('button', { name: 'Import', exact: true }));
      await page.shows('1 created, 1 changed, 0 unchanged, 2 refused');
      await page.row('Line 3').waitFor();
      await page.row('Line 4 nameless').waitFor();
      const report = await page.saved(page.button('Save the report'));
      expect(report.trimEnd().split('\n')).toEqual([
        'line,provided_id,code,detail\r',
        expect.stringMatching(/^3,,json_malformed,/),
        expect.stringMatching(/^4,nameless,validation_failed,/),
      ]);
      const { text } = await api.call('GET', '/api/v1/user-groups/new');
      expect(text).toContain('"properties":{"share":100}');
      expect((await stored(api, 'old')).name).toBe('Renamed');
    });

    test('all are exported as the API exports them, with tokens only where that is asked for', async () => {
      const { page, api } = await begin({ hand });
      const token = await createGroup(api, 'acme', { properties: { region: 'EMEA' } });
      await page.visit('groups');
      const dialog = page.dialog('Export all user groups');
      for (const isSecret of [false, true]) {
        await page.use(page.button('Export'));
        if (isSecret) await page.use(dialog.getByRole('checkbox'));
        const file = await page.saved(dialog.getByRole('button', { name: 'Export' }));
        expect(file).toContain('"provided_id":"acme"');
        expect(file.includes(token)).toBe(isSecret);
        await dialog.waitFor({ state: 'detached' });
      }
      expect(await actions(api)).toContain('user_group.export');
    });

    test('all are exported without tokens by a session that may not see them', async () => {
      const { api, workspace } = await begin();
      const token = await createGroup(api, 'acme');
      const { page } = await begin({ hand, workspace, scopes: ['admin', 'user-groups:read'] });
      await page.visit('groups');
      await page.use(page.button('Export'));
      const dialog = page.dialog('Export all user groups');
      await dialog.getByText('Without their tokens.').waitFor();
      const file = await page.saved(dialog.getByRole('button', { name: 'Export' }));
      expect(file).toContain('"provided_id":"acme"');
      expect(file).not.toContain(token);
    });
  });
});
