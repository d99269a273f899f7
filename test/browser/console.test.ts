import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ShownTokens } from '../../src/audit/shown-tokens.ts';
import { type Scope, scopes as allScopes } from '../../src/common/caller.ts';
import type { ApiClient } from '../support/api-client.ts';
import { fillWorkspace, has, placesOf } from '../support/console-content.ts';
import { type ConsolePage, type Look, withConsolePages } from '../support/console-page.ts';
import { onEachDatabase } from '../support/databases.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';
import { SENDING, WebhookReceiver } from '../support/webhook-receiver.ts';

/** As somebody writes them, and as the API stores them: the same numbers. */
const TYPED = '{"big":9007199254740991,"share":1e2,"less":-0.5}';
const NUMBERS = '{"big":9007199254740991,"share":100,"less":-0.5}';
/** What has stood in pages that took text for markup. */
const HOSTILE = [
  '<script>globalThis.injected = 1</script>',
  '"><img src=x onerror="globalThis.injected = 1">',
  "'><svg/onload=globalThis.injected=1>",
  'javascript:globalThis.injected=1',
  '{{7*7}}${7*7}<!--',
];

const open = withConsolePages();
let workspaces = 0;

onEachDatabase((kind) => {
  const service = withService(kind, SENDING);

  interface Begun {
    page: ConsolePage;
    token: string;
    /** Calls with the same API token. */
    api: ApiClient;
    workspace: string;
  }

  /** A page that is signed in to an empty workspace, or to the one that is named. */
  async function begin(
    scopes: readonly Scope[] = allScopes,
    look?: Look,
    workspace = `workspace-${++workspaces}`,
  ): Promise<Begun> {
    const token = await service.issueToken([...scopes], workspace);
    const page = await open(service, look);
    await page.signIn(token);
    return { page, token, api: service.clientOf(token), workspace };
  }

  const stored = async (api: ApiClient, id: string) =>
    (await api.call('GET', `/api/v1/user-groups/${encodeURIComponent(id)}`)).body.user_group;
  const actions = async (api: ApiClient) =>
    (await api.call('GET', '/api/v1/audit-events')).body.audit_events.map(({ action }) => action);
  const create = (api: ApiClient, id: string, fields: object = {}) =>
    api.create({ user_group_id: id, name: id, ...fields });

  describe('signing in', () => {
    test('a wrong token is refused in the words of the API, with the number of the request', async () => {
      const page = await open(service);
      await page.visit();
      const wrong = `uga_${'0'.repeat(38)}`;
      await page.field('API token').fill(wrong);
      await page.button('Sign in').click();
      const trouble = page.tab.getByRole('alert');
      await trouble.waitFor();
      page.takeRefusal(401);
      const { body } = await service.clientOf(wrong).call('GET', '/api/v1/user-groups');
      const text = await trouble.innerText();
      expect(text).toContain(body.detail);
      expect(text).toContain('api_token_invalid');
      expect(text).toMatch(/request\s+[\w-]{8,}/);
    });

    test('a token opens the page where one wanted to go, and is kept by nothing there', async () => {
      const token = await service.issueToken(['user-groups:read']);
      const page = await open(service);
      await page.visit('groups?status=suspended');
      await page.field('API token').fill(token);
      await page.button('Sign in').click();
      await page.heading('User groups').waitFor();
      expect(page.place).toBe('groups?status=suspended');
      const kept = await page.tab.evaluate<string>(
        'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href, document.body.innerHTML])',
      );
      expect(kept.slice(0, 9)).toBe('[{},{},""');
      expect(kept).not.toContain(token);
      const cookies = await page.context.cookies();
      expect(cookies).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Strict' })]);
    });

    test('signing out ends the session, not only the page', async () => {
      const { page } = await begin();
      const [cookie] = await page.context.cookies();
      await page.visit('groups');
      await page.button('Sign out').click();
      await page.field('API token').waitFor();
      expect(await page.tab.getByRole('status').count()).toBe(0);
      const { status, body } = await service
        .clientOf(undefined)
        .call('GET', '/console/session', undefined, {
          Cookie: `${cookie!.name}=${cookie!.value}`,
        });
      expect([status, body.code]).toEqual([401, 'session_ended']);
    });

    test('where the API token is revoked at another process, the page is at the sign-in within a second', async () => {
      const other = await startTestService(service.database);
      const token = await service.issueToken(['user-groups:read']);
      const page = await open(other);
      await page.signIn(token);
      const watching = page.tab.waitForResponse((answer) => answer.url().endsWith('/watch'));
      await page.visit('groups');
      await watching;
      await service.revokeToken(token);
      const revokedAt = performance.now();
      await page.field('API token').waitFor();
      expect(performance.now() - revokedAt).toBeLessThan(1000);
      await page.shows('its API token was ended');
      await page.context.close();
      await other.close();
    });

    test('a session can be ended from another one', async () => {
      const { page, workspace } = await begin();
      const { page: other } = await begin(['user-groups:read'], {}, workspace);
      await other.visit('groups');
      await page.visit('sessions');
      const rows = page.tab.locator('tbody tr');
      expect(await page.read(2, () => rows.count())).toBe(2);
      const own = page.row('this one');
      await rows.filter({ hasNotText: 'this one' }).getByRole('button', { name: 'End' }).click();
      await page.dialog('End this session').getByRole('button', { name: 'End it' }).click();
      await other.field('API token').waitFor();
      expect(await page.read(1, () => rows.count())).toBe(1);
      await own.getByRole('button', { name: 'End' }).click();
      await page.button('End it').click();
      await page.field('API token').waitFor();
    });
  });

  describe('user groups', () => {
    test('where there are none the page says how to begin', async () => {
      const { page } = await begin();
      await page.visit('groups');
      await page.shows('There are no user groups yet');
      const call = await page.tab.getByRole('region', { name: /paste/ }).innerText();
      expect(call).toContain(`curl -X PUT ${service.baseUrl}/api/user`);
      await page.button('Copy the call').click();
      expect((await page.clipboard()).trim()).toBe(call.trim());
    });

    test('one is created and edited, with every number as it is written', async () => {
      const { page, api } = await begin();
      await page.visit('groups');
      await page.button('New user group').click();
      await page.field('Your id').fill('acme/emea?');
      await page.field('Name').fill('Acme EMEA');
      await page.field('Mapping').fill('{"sales": "warehouse"}');
      await page.field('Properties').fill(TYPED);
      const sent = page.tab.waitForRequest((call) => call.method() === 'PUT');
      await page.button('Create').click();
      await page.heading('Acme EMEA').waitFor();
      expect((await sent).postData()?.replaceAll(/\s/g, '')).toContain(`"properties":${TYPED}`);
      const path = `/api/v1/user-groups/${encodeURIComponent('acme/emea?')}`;
      expect((await api.call('GET', path)).text).toContain(`"properties":${NUMBERS}`);
      const shown = page.tab.getByRole('region', { name: 'Properties' });
      expect((await shown.innerText()).replaceAll(/\s/g, '')).toBe(NUMBERS);

      await page.button('Edit').click();
      await page.field('Name').fill('Acme Europe');
      const properties = page.tab.getByRole('textbox', { name: 'Properties' });
      await properties.fill('{"big": 9007199254740993}');
      await page.button('Save').click();
      await page.dialog('Edit').getByText('/properties/big').waitFor();
      page.takeRefusal(422);
      await properties.fill(TYPED);
      await page.button('Save').click();
      await page.heading('Acme Europe').waitFor();
      const { text, body } = await api.call('GET', path);
      expect(text).toContain(`"properties":${NUMBERS}`);
      expect(body.user_group).toMatchObject({
        name: 'Acme Europe',
        mapping: { sales: 'warehouse' },
      });
    });

    test('what is no JSON cannot be sent, and what the API refuses is said in its words', async () => {
      const { page, api } = await begin();
      await create(api, 'acme');
      await page.visit('groups');
      await page.button('New user group').click();
      await page.field('Your id').fill('acme');
      await page.field('Name').fill('Acme');
      await page.field('Properties').fill('{"a": }');
      expect(await page.button('Create').isDisabled()).toBe(true);
      await page.field('Properties').fill('{"a": 1}');
      await page.button('Create').click();
      const trouble = page.dialog('New user group').getByRole('alert');
      await trouble.waitFor();
      page.takeRefusal(412);
      expect(await trouble.innerText()).toMatch(/request\s+[\w-]{8,}/);
      expect((await stored(api, 'acme')).properties).toEqual({});
    });

    test('nobody overwrites what somebody else has changed meanwhile', async () => {
      const { page, api } = await begin();
      await create(api, 'acme', { properties: { a: 1 } });
      await page.visit('groups/acme');
      await page.button('Edit').click();
      await page.field('Name').fill('Mine');
      await api.put({ user_group_id: 'acme', name: 'Theirs' });
      await page.button('Save').click();
      await page.dialog('Edit').getByRole('alert').waitFor();
      page.takeRefusal(412);
      expect((await stored(api, 'acme')).name).toBe('Theirs');
    });

    test('they are found, filtered and sorted, and a reload shows the same', async () => {
      const { page, api } = await begin();
      const words = { a: 'alder', b: 'birch', c: 'cedar', d: 'dogwood' };
      for (const [id, wood] of Object.entries(words)) {
        await create(api, `id-${id}`, { name: `Group ${wood}`, properties: { tree: wood } });
      }
      for (const id of ['b', 'c']) await api.call('POST', `/api/v1/user-groups/id-${id}/suspend`);
      const names = () => page.tab.locator('tbody .row-link').allInnerTexts();
      const expectNames = async (...trees: string[]) => {
        const wanted = trees.map((tree) => `Group ${tree}`);
        expect(await page.read(wanted, names)).toEqual(wanted);
      };
      await page.visit('groups');
      await expectNames('alder', 'birch', 'cedar', 'dogwood');
      await page.button('User group').click();
      await page.button('User group').click();
      await expectNames('dogwood', 'cedar', 'birch', 'alder');
      await page.tab.getByRole('combobox', { name: 'Status' }).selectOption('suspended');
      await expectNames('cedar', 'birch');
      await page.field('Search by name, id or property value').fill('BIRCH');
      await expectNames('birch');
      const place = page.place;
      expect(Object.fromEntries(new URLSearchParams(place.split('?')[1]))).toEqual({
        ...{ search: 'BIRCH', status: 'suspended', sort: '-name' },
      });
      await page.tab.reload();
      await expectNames('birch');
      expect(page.place).toBe(place);
      expect(await page.tab.getByRole('combobox', { name: 'Status' }).inputValue()).toBe(
        'suspended',
      );
      await page.button('Clear filters').click();
      await expectNames('dogwood', 'cedar', 'birch', 'alder');
      await page.field('Search by name, id or property value').fill('nothing of it');
      await page.shows('No user group matches');
    });

    test('the token is rotated at once, and shown on demand, which the audit log tells', async () => {
      const { page, api } = await begin();
      const { token: first } = await create(api, 'acme');
      await page.visit('groups/acme');
      await page.button('Rotate').click();
      await page.tab.getByRole('radio', { name: 'now' }).check();
      await page.dialog('Rotate the token').getByRole('button', { name: 'Rotate' }).click();
      await page.dialog('The new token').waitFor();
      const second = await page.readSecret();
      await page.button('Copy the secret').click();
      await page.button('Copy the secret').getByText('Copied').waitFor();
      expect(await page.clipboard()).toBe(second);
      await page.button('Done').click();
      expect(await Promise.all([first, second].map((token) => api.isActive(token)))).toEqual([
        false,
        true,
      ]);
      expect(await page.tab.content()).not.toContain(second);

      await page.button('Show the current one').click();
      await page.button('Show').click();
      await page.dialog('The current token').waitFor();
      expect(await page.readSecret()).toBe(second);
      await service.app.get(ShownTokens).flush();
      const { body } = await api.call('GET', '/api/v1/audit-events?action=user_group_token.show');
      expect(body.audit_events).toEqual([
        expect.objectContaining({
          object: { type: 'user_group', id: 'acme' },
          details: expect.objectContaining({ by: expect.objectContaining({ current_token: 1 }) }),
        }),
      ]);
    });

    test('a token is rotated with an overlap, which can be ended', async () => {
      const { page, api } = await begin();
      const { token: first } = await create(api, 'acme');
      await page.visit('groups/acme');
      await page.button('Rotate').click();
      await page.tab.getByRole('radio', { name: '24 hours' }).check();
      await page.dialog('Rotate the token').getByRole('button', { name: 'Rotate' }).click();
      const second = await page.readSecret();
      await page.button('Done').click();
      await page.row('No. 1').getByText('overlap, 24 h left').waitFor();
      expect(await Promise.all([api.isActive(first), api.isActive(second)])).toEqual([true, true]);
      await page.button('End now').click();
      await page.button('End it now').click();
      await page.row('No. 1').getByText('ended').waitFor();
      expect(await Promise.all([api.isActive(first), api.isActive(second)])).toEqual([false, true]);
    });

    test('one is suspended, resumed and deleted, which asks for its id', async () => {
      const { page, api } = await begin();
      const { token } = await create(api, 'acme');
      await page.visit('groups/acme');
      await page.button('Suspend').click();
      await page.dialog('Suspend this user group').getByRole('button', { name: 'Suspend' }).click();
      await page.shows('no token of it is active');
      expect(await api.isActive(token)).toBe(false);
      await page.button('Resume').click();
      await page.button('Suspend').waitFor();
      expect(await api.isActive(token)).toBe(true);

      await page.button('Delete').click();
      const submit = page.button('Delete for good');
      for (const typed of ['', 'acm', 'ACME', 'acme ']) {
        await page.field('Type its id acme to confirm').fill(typed);
        expect([typed, await submit.isDisabled()]).toEqual([typed, true]);
      }
      await page.field('Type its id acme to confirm').fill('acme');
      await submit.click();
      await page.heading('User groups').waitFor();
      expect((await api.call('GET', '/api/v1/user-groups/acme')).status).toBe(404);
    });

    test('many are suspended, resumed, saved and deleted at once', async () => {
      const { page, api } = await begin();
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
        await page.field('Select Group b').click();
        await page.field('Select Group d').click({ modifiers: ['Shift'] });
        await page.shows('3 user groups selected');
      };
      const bulk = page.tab.getByRole('region', { name: 'What is selected' });
      await pick();
      await bulk.getByRole('button', { name: 'Suspend' }).click();
      await page.dialog('Suspend 3').getByRole('button', { name: 'Suspend' }).click();
      await page.shows('3 suspended');
      expect(await states()).toEqual(['a', 'b!', 'c!', 'd!']);
      await pick();
      await bulk.getByRole('button', { name: 'Resume' }).click();
      await page.shows('3 resumed');
      expect(await states()).toEqual(['a', 'b', 'c', 'd']);
      await pick();
      const file = await page.saved(bulk.getByRole('button', { name: 'Export' }));
      const lines = file.trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual([
        ...['Group b', 'Group c', 'Group d'],
      ]);
      for (const line of lines) expect(line).toContain(`"properties":${NUMBERS}`);
      await bulk.getByRole('button', { name: 'Delete' }).click();
      await page.field('Type how many, 3 to confirm').fill('3');
      await page.button('Delete for good').click();
      await page.shows('3 deleted');
      expect(await states()).toEqual(['a']);
    });

    test('a file is imported, and each refused line is told', async () => {
      const { page, api } = await begin();
      await create(api, 'old');
      const lines = [
        '{"user_group_id":"old","name":"Renamed"}',
        '{"user_group_id":"new","name":"New","properties":{"share":1e2}}',
        '{"user_group_id":"broken"',
        '{"user_group_id":"nameless"}',
      ];
      await page.visit('groups');
      await page.button('Import').click();
      const dialog = page.dialog('Import user groups');
      await dialog.getByLabel('File').setInputFiles({
        name: 'groups.ndjson',
        mimeType: 'application/x-ndjson',
        buffer: Buffer.from(lines.join('\n')),
      });
      await dialog.getByRole('button', { name: 'Import' }).click();
      await page.shows('1 created, 1 updated, 0 unchanged, 2 refused');
      const refused = await dialog.getByRole('region', { name: 'Refused lines' }).innerText();
      expect(refused).toMatch(/Line 3/);
      expect(refused).toMatch(/Line 4 nameless/);
      const report = await page.saved(dialog.getByRole('button', { name: 'Save the report' }));
      expect(report.trimEnd().split('\n')).toHaveLength(2);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.row('Renamed').waitFor();
      const { text } = await api.call('GET', '/api/v1/user-groups/new');
      expect(text).toContain('"properties":{"share":100}');
      expect((await stored(api, 'old')).name).toBe('Renamed');
    });

    test('all are exported as the API exports them, with tokens only where that is asked for', async () => {
      const { page, api } = await begin();
      const { token } = await create(api, 'acme', { properties: { region: 'EMEA' } });
      await page.visit('groups');
      const dialog = page.dialog('Export all user groups');
      for (const isSecret of [false, true]) {
        await page.button('Export').click();
        if (isSecret) await dialog.getByRole('checkbox').check();
        const file = await page.saved(dialog.getByRole('button', { name: 'Export' }));
        expect(file).toContain('"user_group_id":"acme"');
        expect(file.includes(token)).toBe(isSecret);
        await dialog.waitFor({ state: 'detached' });
      }
      expect(await actions(api)).toContain('user_group.export');
    });
  });

  describe('the other pages', () => {
    test('an API token is issued, shown once, changed, rotated and revoked', async () => {
      const { page, api } = await begin();
      const works = async (token: string) =>
        (await service.clientOf(token).call('GET', '/api/v1/user-groups')).status === 200;
      await page.visit('api-tokens');
      await page.button('New API token').click();
      await page.field('Name').fill('renderer');
      expect(await page.button('Create').isDisabled()).toBe(true);
      await page.tab.getByRole('checkbox', { name: /^tokens:introspect/ }).check();
      await page.button('Create').click();
      await page.dialog('API token renderer').waitFor();
      const first = await page.readSecret();
      await page.button('Done').click();
      expect(await page.tab.content()).not.toContain(first);
      expect(await works(first)).toBe(false);

      await page.row('renderer').getByRole('button', { name: 'Edit' }).click();
      await page.tab.getByRole('checkbox', { name: /^user-groups:read/ }).check();
      await page.button('Save').click();
      await page.row('user-groups:read').filter({ hasText: 'renderer' }).waitFor();
      expect(await works(first)).toBe(true);

      await page.row('renderer').getByRole('button', { name: 'Rotate' }).click();
      await page.dialog('Rotate renderer').getByRole('button', { name: 'Rotate' }).click();
      const second = await page.readSecret();
      await page.button('Done').click();
      await page.row('in overlap').waitFor();
      expect(await Promise.all([works(first), works(second)])).toEqual([true, true]);

      await page.row('in overlap').getByRole('button', { name: 'Revoke' }).click();
      expect(await page.dialog('Revoke').getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(
        true,
      );
      await page.field('Type its name renderer to confirm').fill('renderer');
      await page.dialog('Revoke').getByRole('button', { name: 'Revoke' }).click();
      await page.row('in overlap').waitFor({ state: 'detached' });
      expect(await Promise.all([works(first), works(second)])).toEqual([false, true]);
      expect(await page.row('renderer').count()).toBe(1);
      await page.tab.getByRole('checkbox', { name: 'Show ended ones (1)' }).check();
      await page.row('revoked').waitFor();
      const { body } = await api.call('GET', '/api/v1/api-tokens');
      const states = body.api_tokens.map(({ name, state }) => [name, state]);
      expect(states).toContainEqual(['renderer', 'revoked']);
    });

    test('schemas and data sources are registered, and a change of the policy tells what would break', async () => {
      const { page, api } = await begin();
      await create(api, 'acme', { mapping: { sales: 'warehouse' } });
      await page.visit('registry');
      await page.shows('No schema is registered');
      await page.button('New schema').click();
      await page.field('Your id').fill('sales');
      await page.field('Name').fill('Sales');
      await page.button('Register').click();
      await page.heading('Sales').waitFor();

      await page.visit('registry/policy');
      await page.row('acme').waitFor();
      await page.button('Change to registered').click();
      const dialog = page.dialog('Change to registered');
      await dialog.getByText('1 user group would break').waitFor();
      await dialog.getByRole('button', { name: 'Change to registered' }).click();
      await dialog.getByRole('alert').waitFor();
      page.takeRefusal(409);

      await page.visit('registry/data-sources');
      await page.button('New data source').click();
      await page.field('Your id').fill('warehouse');
      await page.field('Name').fill('Warehouse');
      await page.button('Register').click();
      await page.heading('Warehouse').waitFor();
      await page.visit('registry/policy');
      await page.shows('Every mapping could be resolved');
      await page.button('Change to registered').click();
      await dialog.getByText('nothing would break').waitFor();
      await dialog.getByRole('button', { name: 'Change to registered' }).click();
      await page.shows('Every mapping is resolved');
      const { text } = await api.call('GET', '/api/v1/workspace');
      expect(text).toContain('"mapping_policy":"registered"');

      for (const [tab, name] of [
        ['schemas', 'Sales'],
        ['data-sources', 'Warehouse'],
      ] as const) {
        await page.visit(`registry/${tab}`);
        await page.row(name).getByRole('link').click();
        await page.row('acme').waitFor();
      }
      await page.button('Delete').click();
      await page.field('Type its id warehouse to confirm').fill('warehouse');
      await page.button('Delete for good').click();
      await page.dialog('Delete this data source').getByRole('alert').waitFor();
      page.takeRefusal(409);
    });

    test('what every group must have is changed, and the groups that lack it are told', async () => {
      const { page, api } = await begin();
      const { token } = await create(api, 'acme');
      await page.visit('registry/policy');
      await page.button('Change').click();
      await page.button('Property').click();
      await page.field('Name of property 1').fill('region');
      await page.button('Save').click();
      await page.row('acme').filter({ hasText: '/properties/region' }).waitFor();
      expect(await api.isActive(token)).toBe(false);
      await page.row('acme').getByRole('link').click();
      await page.row('region').getByText('missing').waitFor();
    });

    test('the audit log is filtered, and tells what was before and what came after', async () => {
      const { page, api } = await begin();
      await create(api, 'acme');
      await create(api, 'globex');
      await api.put({ user_group_id: 'acme', name: 'Acme renamed' });
      await page.visit('groups/acme');
      await page.tab.getByRole('link', { name: 'history' }).click();
      const rows = page.tab.locator('tbody tr');
      expect(await page.read(2, () => rows.count())).toBe(2);
      await page.field('Action').fill('user_group.update');
      await page.press('Enter');
      expect(await page.read(1, () => rows.count())).toBe(1);
      expect(page.place).toContain('action=user_group.update');
      await page.button(/^Details of/).click();
      const changes = await page.tab.locator('.before-after').innerText();
      expect(changes.replaceAll(/\s+/g, ' ')).toMatch(
        /Before.*name acme.*After.*name Acme renamed/,
      );
      await page.tab.reload();
      expect(await page.read(1, () => rows.count())).toBe(1);
      await page.button('Clear filters').click();
      await page.row('globex').waitFor();
    });

    test('a webhook endpoint is made, and what was sent to it is seen, with what it has answered', async () => {
      const receiver = await WebhookReceiver.listen();
      receiver.reply = (response) => response.writeHead(500).end('<b>out of order</b>');
      const { page, api } = await begin();
      await page.visit('webhooks');
      await page.shows('There are no webhook endpoints yet');
      await page.button('New endpoint').click();
      await page.field('URL').fill(receiver.url);
      await page.field('Description').fill('Our receiver');
      await page.field('Events').fill('user_group.*');
      await page.button('Create').click();
      expect(await page.readSecret()).toMatch(/^whsec_/);
      await page.button('Done').click();
      await page.heading(/Our receiver/).waitFor();
      await create(api, 'acme');
      const first = page.row('user_group.create');
      const attempts = async () => {
        await page.button('Reload').click();
        return (await first.count()) > 0;
      };
      expect(await page.read(true, attempts)).toBe(true);
      await first.getByText('500').waitFor();
      await first.getByText('its answer').click();
      await first.getByText('<b>out of order</b>').waitFor();
      receiver.reply = (response) => response.writeHead(204).end();
      await first.getByRole('button', { name: 'Send again' }).first().click();
      const delivered = async () => {
        await page.button('Reload').click();
        return (await page.row('delivered').count()) > 0;
      };
      expect(await page.read(true, delivered)).toBe(true);
      await page.button('Switch off').click();
      await page.button('Switch on').waitFor();
      const { body } = await api.call('GET', '/api/v1/webhook-endpoints');
      expect(body.webhook_endpoints).toEqual([
        expect.objectContaining({ url: receiver.url, enabled: false }),
      ]);
    });

    test('what another caller changes appears while the page of events is open', async () => {
      const { page, api } = await begin();
      await page.visit('events');
      await page.tab.getByText('live', { exact: true }).waitFor();
      await create(api, 'acme');
      await page.row('user_group.create').getByRole('link', { name: 'acme' }).waitFor();
      await page.button('Pause').click();
      await page.shows('paused');
    });

    test('the overview counts what there is', async () => {
      if (!(await has('/api/v1/overview/activity'))) return;
      const { page, api } = await begin();
      await create(api, 'acme');
      await create(api, 'globex');
      await api.call('POST', '/api/v1/user-groups/acme/suspend');
      await page.visit();
      const tile = (name: string) => page.tab.locator('.tile').filter({ hasText: name });
      const counts = async () => [
        await tile('User groups').locator('.tile-count').innerText(),
        await tile('Suspended').locator('.tile-count').innerText(),
      ];
      expect(await page.read(['2', '1'], counts)).toEqual(['2', '1']);
      await page.tab.locator('.plot svg').first().waitFor();
      await tile('Suspended').click();
      await page.row('acme').waitFor();
      expect(page.place).toBe('groups?status=suspended');
    });

    test('the page of the system tells the version and the database', async () => {
      if (!(await has('/api/v1/system'))) return;
      const { page } = await begin();
      await page.visit('system');
      await page.shows(kind === 'sqlite' ? /sqlite/i : /postgres/i);
    });
  });

  test('a caller that may only read sees nothing else', async () => {
    const { api, workspace } = await begin();
    await create(api, 'acme', { mapping: { sales: 'warehouse' } });
    const { page } = await begin(['user-groups:read'], {}, workspace);
    await page.visit('groups');
    await page.row('acme').waitFor();
    const names = page.tab.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    expect((await names.allInnerTexts()).map((name) => name.trim())).toEqual([
      ...['Overview', 'User groups', 'Sessions'],
    ]);
    const buttons = async () => (await page.tab.locator('main button').allInnerTexts()).sort();
    expect(await buttons()).toEqual(['Created', 'Updated', 'User group']);
    await page.row('acme').getByRole('link').click();
    await page.row('warehouse').waitFor();
    expect((await buttons()).filter(Boolean)).toEqual(['Show the current one']);
    for (const [place, name] of [
      ['api-tokens', 'API tokens needs the scope admin'],
      ['audit', 'Audit log needs the scope audit:read'],
      ['registry', 'Registry needs the scope registry:read'],
    ] as const) {
      await page.tab.goto(`${service.baseUrl}/console/#/${place}`);
      await page.shows(name);
    }
    await page.visit('sessions');
    await page.shows('this one');
    expect(await page.tab.locator('tbody tr').count()).toBe(1);
  });

  test('text is text on every page, whatever it says', async () => {
    const { page, api } = await begin();
    const made = await fillWorkspace(api, HOSTILE);
    const last = HOSTILE.at(-1)!;
    for (const id of HOSTILE) {
      await page.visit(`groups/${encodeURIComponent(id)}`);
      await page.heading(id).waitFor();
      await page.button('Delete').click();
      await page.dialog('Delete this user group').getByText(id).first().waitFor();
    }
    for (const place of await placesOf(last, made)) {
      await page.visit(place);
      await page.settle();
      for (const unfold of await page.tab.locator('.unfold').all()) await unfold.click();
      const isListed = !/^(events|sessions|system|)$/.test(place);
      if (isListed) await page.shows(last);
      expect([place, await injected(page)]).toEqual([place, [null, 1, 0, 0]]);
    }
    await page.visit('events');
    await page.tab.getByText('live', { exact: true }).waitFor();
    for (const id of HOSTILE) await api.put({ user_group_id: id, name: 'changed' });
    for (const id of HOSTILE) await page.shows(id);
    expect(await injected(page)).toEqual([null, 1, 0, 0]);
  });

  /** What was run; and how many scripts, pictures and links to scripts the page has. */
  const injected = (page: ConsolePage) =>
    page.tab.evaluate(
      `[globalThis.injected ?? null, document.scripts.length, document.images.length,
        document.querySelectorAll('[href^=javascript i]').length]`,
    );

  test('what another workspace has appears nowhere', async () => {
    const { api: stranger } = await begin();
    const foreign = await fillWorkspace(stranger, ['foreign']);
    const { page, api } = await begin();
    const made = await fillWorkspace(api, ['own']);
    for (const place of await placesOf('own', made)) {
      await page.visit(place);
      await page.settle();
      for (const unfold of await page.tab.locator('.unfold').all()) await unfold.click();
      expect([place, (await page.tab.content()).includes('foreign')]).toEqual([place, false]);
    }
    for (const place of [
      'groups/foreign',
      `registry/data-sources/${foreign.dataSource}`,
      `webhooks/${foreign.webhookEndpoint}`,
    ]) {
      await page.visit(place);
      await page.tab.getByRole('alert').first().waitFor();
      expect(await page.tab.locator('main').innerText()).toMatch(/not_found/);
      expect(page.complaints.splice(0).every((text) => text.includes('404'))).toBe(true);
    }
  });

  test('on a telephone no page is wider than its screen', async () => {
    const long = 'a-name-without-any-place-to-break-it-'.repeat(4);
    const { page, api } = await begin(allScopes, { width: 390 });
    const made = await fillWorkspace(api, [long]);
    for (const place of await placesOf(long, made)) {
      await page.visit(place);
      await page.settle();
      expect([place, await page.overhang()]).toEqual([place, 0]);
    }
    const dialogs: [place: string, button: string][] = [
      ['groups', 'New user group'],
      ['groups', 'Import'],
      [`groups/${long}`, 'Edit'],
      [`groups/${long}`, 'Rotate'],
      [`groups/${long}`, 'Delete'],
      ['api-tokens', 'New API token'],
    ];
    for (const [place, name] of dialogs) {
      await page.visit(place);
      await page.button(name).click();
      await page.tab.getByRole('dialog').waitFor();
      expect([name, await page.overhang(), await page.overhang('dialog')]).toEqual([name, 0, 0]);
    }
    await page.context.clearCookies();
    await page.visit();
    expect(await page.overhang()).toBe(0);
  });

  describe('below a path of a proxy', () => {
    let proxy: Server;
    let at: string;

    beforeAll(async () => {
      proxy = behind('/ops', service);
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/ops`;
    });

    afterAll(() => {
      proxy.closeAllConnections();
      proxy.close();
    });

    test('everything is found, the calls and the streams as well', async () => {
      const token = await service.issueToken([...allScopes], 'behind-a-proxy');
      const page = await open(service, { at });
      const asked: string[] = [];
      page.tab.on('request', (call) => asked.push(call.url()));
      await page.tab.goto(`${at}/console#/events`);
      await page.field('API token').fill(token);
      await page.button('Sign in').click();
      await page.tab.getByText('live', { exact: true }).waitFor();
      await create(service.clientOf(token), 'acme');
      await page.row('user_group.create').getByRole('link', { name: 'acme' }).click();
      await page.heading('acme').waitFor();
      await page.button('Suspend').click();
      await page.dialog('Suspend this user group').getByRole('button', { name: 'Suspend' }).click();
      await page.shows('no token of it is active');
      expect(page.tab.url()).toBe(`${at}/console/#/groups/acme`);
      expect(asked.filter((url) => !url.startsWith(at))).toEqual([]);
    });
  });

  test('the keyboard is enough', async () => {
    const workspace = `workspace-${++workspaces}`;
    const token = await service.issueToken([...allScopes], workspace);
    const api = service.clientOf(token);
    for (const id of ['alder', 'birch', 'birch-2', 'cedar']) await create(api, id);
    const page = await open(service);
    await page.visit('groups');
    await page.tab.keyboard.insertText(token);
    await page.press('Enter');
    await page.heading('User groups').waitFor();

    await page.press('?');
    await page.dialog('Keys').waitFor();
    await page.press('Escape');
    await page.dialog('Keys').waitFor({ state: 'detached' });
    await page.press('g', 'e');
    await page.heading(/^Events/).waitFor();
    await page.press('g', 'u');
    await page.row('alder').waitFor();

    await page.press('/');
    await page.tab.keyboard.type('birch');
    await page.row('alder').waitFor({ state: 'detached' });
    await page.tabTo(page.tab.getByRole('region', { name: 'User groups' }));
    await page.press('ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Enter');
    await page.heading('birch-2').waitFor();
    const { token: first } = await stored(api, 'birch-2').then(
      async () => (await api.get({ user_group_id: 'birch-2' })).body.user_group,
    );

    await page.tabTo(page.button('Rotate'));
    await page.press('Enter');
    await page.tabTo(page.tab.getByRole('radio', { name: '1 hour' }));
    await page.press('ArrowRight');
    await page.tabTo(page.dialog('Rotate the token').getByRole('button', { name: 'Rotate' }));
    await page.press('Enter');
    await page.dialog('The new token').waitFor();
    const second = await page.readSecret();
    await page.tabTo(page.button('Copy the secret'));
    await page.press('Enter');
    await page.button('Copy the secret').getByText('Copied').waitFor();
    expect(await page.clipboard()).toBe(second);
    await page.press('Escape');
    await page.dialog('The new token').waitFor({ state: 'detached' });
    await page.row('No. 1').getByText('overlap, 24 h left').waitFor();
    expect(await api.isActive(first)).toBe(true);
    await page.tabTo(page.button('End now'));
    await page.press('Enter');
    await page.tabTo(page.button('End it now'));
    await page.press('Enter');
    await page.row('No. 1').getByText('ended').waitFor();
    expect(await api.isActive(first)).toBe(false);

    await page.tabTo(page.button('Suspend'));
    await page.press('Space');
    await page.dialog('Suspend this user group').waitFor();
    await page.press('Escape');
    await page.dialog('Suspend this user group').waitFor({ state: 'detached' });
    // It comes back to where it was, so that nobody begins at the top again.
    expect(await page.hasFocus(page.button('Suspend'))).toBe(true);
    await page.press('Enter');
    await page.tabTo(
      page.dialog('Suspend this user group').getByRole('button', { name: 'Suspend' }),
    );
    await page.press('Enter');
    await page.shows('no token of it is active');
    expect(await api.isActive(second)).toBe(false);

    await page.tabTo(page.button('Delete'));
    await page.press('Enter');
    await page.tabTo(page.field('Type its id birch-2 to confirm'));
    await page.tab.keyboard.type('birch-2');
    await page.press('Enter');
    await page.heading('User groups').waitFor();
    expect((await api.call('GET', '/api/v1/user-groups/birch-2')).status).toBe(404);
  });
});

/** A proxy that serves what a service has below a path, and nothing else. */
function behind(path: string, service: TestService): Server {
  return createServer((incoming, outgoing) => {
    const url = incoming.url!;
    if (!url.startsWith(`${path}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const { method, headers } = incoming;
    const options = { port: service.port, method, headers, path: url.slice(path.length) };
    const call = request({ host: '127.0.0.1', ...options }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    call.on('error', () => outgoing.destroy());
    outgoing.on('close', () => call.destroy());
    incoming.pipe(call);
  });
}
