import { createHmac } from 'node:crypto';
import type { AuditEventView } from '../../../src/audit/dto/audit-event-response.dto.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { byEachHand } from '../../support/console-page.ts';
import { createGroup, withConsole } from '../../support/console-tests.ts';
import { changeDatabase, onEachDatabase } from '../../support/databases.ts';
import { type ReceivedMessage, WebhookReceiver } from '../../support/webhook-receiver.ts';
import { until } from '../../support/until.ts';

const HOUR_MS = 3_600_000;

onEachDatabase((kind) => {
  const { service, begin } = withConsole(kind);

  const eventsOf = async (api: ApiClient, query: string) =>
    (await api.call('GET', `/api/v1/audit-events?${query}`)).body.audit_events;
  const createEndpoint = async (api: ApiClient, fields: object) => {
    const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
      event_types: ['user_group.create'],
      ...fields,
    });
    return body.webhook_endpoint.id;
  };

  /** An event of the audit log from a time when the test did not run. */
  const storeEvent = (workspace: string, { id, time }: { id: string; time: string }) =>
    changeDatabase(
      service.database,
      `INSERT INTO audit_event (public_id, workspace_id, occurred_at, action, actor_type, object_type, object_id)
       SELECT ${Date.parse(time)}, id, ${Date.parse(time)}, 'user_group.create', 'operator', 'user_group', '${id}'
       FROM workspace WHERE name = '${workspace}'`,
    );

  const storeActivity = (workspace: string, { hoursAgo, creations }: { hoursAgo: number; creations: number }) => {
    const hour = Math.floor(Date.now() / HOUR_MS - hoursAgo) * HOUR_MS;
    return changeDatabase(
      service.database,
      `INSERT INTO activity (workspace_id, hour, introspections, rotations, creations)
       SELECT id, ${hour}, 0, 0, ${creations} FROM workspace WHERE name = '${workspace}'`,
    );
  };

  byEachHand((hand) => {
    test('the audit log is filtered, and tells what was before and what came after', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme');
      await createGroup(api, 'globex');
      await api.put({ user_group_id: 'acme', name: 'Acme renamed' });
      await page.visit('groups/acme');
      await page.use(page.tab.getByRole('link', { name: 'history' }));
      const rows = page.tab.locator('tbody tr');
      expect(await page.read(2, () => rows.count())).toBe(2);
      await page.write(page.field('Action'), 'user_group.update');
      await page.leave();
      expect(await page.read(1, () => rows.count())).toBe(1);
      await page.comesTo(/types=user_group\.update/);
      await page.use(page.button(/^Details of/));
      const changes = await page.tab.locator('.before-after').innerText();
      expect(changes.replaceAll(/\s+/g, ' ')).toMatch(/Before.*name acme.*After.*name Acme renamed/);
      await page.tab.reload();
      expect(await page.read(1, () => rows.count())).toBe(1);
      await page.use(page.button('Clear filters'));
      await page.row('globex').waitFor();
    });

    test('the audit log is searched by text, object, actor and time, and exported as it is filtered', async () => {
      const { page, token, api, workspace } = await begin({ hand });
      const other = service.clientOf(await service.issueToken(['user-groups:write'], workspace));
      await createGroup(api, 'acme', { name: 'Ravenna' });
      await createGroup(api, 'globex');
      await other.put({ user_group_id: 'initech', name: 'initech' });
      const [{ actor }] = (await eventsOf(api, 'object_id=initech')) as [AuditEventView];
      await storeEvent(workspace, { id: 'ancient', time: '2020-05-06T12:00:00Z' });
      /** The objects of the groups' events, the latest first. */
      const objects = () =>
        page.tab.locator('tbody tr').filter({ hasText: 'user group' }).locator('td:nth-child(3) code');
      const expectOnly = async (...ids: string[]) => {
        expect(await page.read(ids, () => objects().allInnerTexts())).toEqual(ids);
      };
      const clear = async (...ids: string[]) => {
        await page.use(page.button('Clear filters'));
        await expectOnly(...ids);
      };
      const all = ['initech', 'globex', 'acme', 'ancient'];
      await page.visit('audit');
      await expectOnly(...all);

      await page.write(page.field('Search actions, ids and details'), 'ravenna');
      await expectOnly('acme');
      await clear(...all);
      await page.write(page.field('Object'), 'globex');
      await page.leave();
      await expectOnly('globex');
      await clear(...all);
      await page.write(page.field('From'), '2020-05-06T11:59');
      await page.write(page.field('To'), '2020-05-06T12:01');
      await page.leave();
      await expectOnly('ancient');
      const old = await page.saved(page.button('Export what is filtered'));
      expect(objectsOf(old)).toEqual(['ancient']);
      await clear(...all);

      await page.write(page.field('API token'), String(actor.api_token_id));
      await page.leave();
      await expectOnly('initech');
      const filtered = await page.saved(page.button('Export what is filtered'));
      expect(objectsOf(filtered)).toEqual(['initech']);
      await clear(...all);
      await page.use(page.row('initech').getByRole('cell').last().getByRole('link'));
      await expectOnly('initech');
      await clear(...all);
      const everything = objectsOf(await page.saved(page.button('Export')));
      expect(everything).toEqual(expect.arrayContaining(all));
      expect(everything).not.toContain(token);

      await page.use(page.row('acme').getByRole('button'));
      const request = page.tab.locator('.details').getByRole('link', { name: /[\w-]{8,}/ });
      await page.use(request.filter({ hasNotText: 'API token' }));
      await expectOnly('acme');
      await page.use(page.row('acme').getByRole('link', { name: 'acme' }));
      await page.heading('Ravenna').waitFor();
    });

    test('a webhook endpoint is made, and what was sent to it is seen, with what it has answered', async () => {
      const receiver = await WebhookReceiver.listen();
      receiver.reply = (response) => response.writeHead(500).end('<b>out of order</b>');
      const { page, api } = await begin({ hand });
      await page.visit('webhooks');
      await page.shows('There are no webhook endpoints yet');
      await page.use(page.button('New endpoint'));
      await page.write(page.field('URL'), receiver.url);
      await page.write(page.field('Description'), 'Our receiver');
      await page.write(page.field('Events'), 'user_group.*');
      await page.use(page.button('Create'));
      expect(await page.readSecret()).toMatch(/^whsec_/);
      await page.use(page.button('Done'));
      await page.heading(/Our receiver/).waitFor();
      await createGroup(api, 'acme');
      const first = page.row('user_group.create');
      const attempts = async () => {
        await page.use(page.button('Reload'));
        return (await first.count()) > 0;
      };
      expect(await page.read(true, attempts)).toBe(true);
      await first.getByRole('cell', { name: /^500/ }).waitFor();
      await page.use(first.getByText('its answer'));
      await first.getByText('<b>out of order</b>').waitFor();
      receiver.reply = (response) => response.writeHead(204).end();
      await page.use(first.getByRole('button', { name: 'Send again' }).first());
      const delivered = async () => {
        await page.use(page.button('Reload'));
        return (await page.row('delivered').count()) > 0;
      };
      expect(await page.read(true, delivered)).toBe(true);
      await page.use(page.button('Switch off'));
      await page.button('Switch on').waitFor();
      const { body } = await api.call('GET', '/api/v1/webhook-endpoints');
      expect(body.webhook_endpoints).toEqual([expect.objectContaining({ url: receiver.url, enabled: false })]);
    });

    test('a webhook endpoint is changed, gets another secret, and is deleted', async () => {
      const receiver = await WebhookReceiver.listen();
      const { page, api } = await begin({ hand });
      const id = await createEndpoint(api, { url: `${receiver.url}old`, description: 'Old' });
      await page.visit(`webhooks/${id}`);
      await page.use(page.button('Edit'));
      await page.write(page.field('URL'), receiver.url);
      await page.write(page.field('Description'), 'Our receiver');
      await page.write(page.field('Events'), 'user_group.create\nuser_group.delete');
      await page.use(page.button('Save'));
      await page.heading(/^Our receiver/).waitFor();
      const endpoint = async () => (await api.call('GET', `/api/v1/webhook-endpoints/${id}`)).body.webhook_endpoint;
      expect(await endpoint()).toMatchObject({
        url: receiver.url,
        description: 'Our receiver',
        event_types: ['user_group.create', 'user_group.delete'],
      });

      await page.use(page.button('New secret'));
      await page.use(page.tab.getByRole('radio', { name: 'now' }));
      await page.use(page.button('Make a new one'));
      await page.dialog('The secret of the endpoint').waitFor();
      const secret = await page.readSecret();
      await page.use(page.button('Done'));
      await createGroup(api, 'acme');
      const [message] = await receiver.receive(1);
      expect(message!.headers['webhook-signature']).toBe(signatureBy(secret, message!));

      await page.use(page.button('Switch off'));
      await page.use(page.button('Switch on'));
      await page.button('Switch off').waitFor();
      expect((await endpoint()).enabled).toBe(true);

      await page.use(page.button('Delete'));
      expect(await page.button('Delete for good').isDisabled()).toBe(true);
      await page.write(page.field(`Type its number ${id} to confirm`), String(id));
      await page.use(page.button('Delete for good'));
      await page.shows('There are no webhook endpoints yet');
      const { body } = await api.call('GET', '/api/v1/webhook-endpoints');
      expect(body.webhook_endpoints).toEqual([]);
    });

    test('what was sent in a period is sent again, and the attempts of one event are found', async () => {
      const receiver = await WebhookReceiver.listen();
      const { page, api } = await begin({ hand });
      const id = await createEndpoint(api, { url: receiver.url });
      for (const group of ['acme', 'globex']) await createGroup(api, group);
      const first = [...(await receiver.receive(2))];
      await page.visit(`webhooks/${id}`);
      const dialog = page.dialog('Send again');
      const sendAgain = async (since: string, until: string, isArrivedToo: boolean) => {
        await page.use(page.button('Send a period again'));
        await page.write(dialog.getByLabel('Since'), since);
        if (until) await page.write(dialog.getByLabel('Until'), until);
        if (isArrivedToo) await page.use(dialog.getByRole('checkbox'));
        await page.use(dialog.getByRole('button', { name: 'Send again' }));
        await dialog.waitFor({ state: 'detached' });
      };
      await sendAgain('2020-01-02T03:04', '2020-01-02T13:14', true);
      await page.shows('They will be sent again');
      const list = '/api/v1/audit-events?types=webhook_endpoint.replay';
      const replayed = async () => (await api.call('GET', list)).body.audit_events.map(({ details }) => details);
      await until(async () => (await replayed()).length === 1);
      expect(await replayed()).toMatchObject([{ replayed: 0 }]);
      await sendAgain('2020-01-02T03:04', '', true);
      const again = (await receiver.receive(4)).slice(2);
      expect(again.map((one) => one.id).sort()).toEqual(first.map((one) => one.id).sort());

      await page.use(page.button('Reload'));
      const rows = page.tab.locator('tbody tr').filter({ hasText: 'user_group.create' });
      const reloaded = async () => {
        await page.use(page.button('Reload'));
        return rows.count();
      };
      expect(await page.read(4, reloaded)).toBe(4);
      await page.write(page.field('Attempts of one event, by its webhook-id'), first[0]!.id);
      expect(await page.read(2, () => rows.count())).toBe(2);
      expect(await page.row(first[1]!.id).count()).toBe(0);
    });

    test('what another caller changes appears while the page of events is open', async () => {
      const { page, api } = await begin({ hand });
      await page.visit('events');
      await page.tab.getByText('live', { exact: true }).waitFor();
      await createGroup(api, 'acme');
      await page.row('user_group.create').getByRole('link', { name: 'acme' }).waitFor();
      await page.use(page.button('Clear'));
      await page.shows('Nothing has happened since the page was opened');
      await page.write(page.field('Types, such as user_group.*, api_token.*'), 'user_group.delete');
      await page.tab.waitForURL(/#\/events\?types=user_group\.delete$/);
      await page.use(page.button('Pause'));
      await page.shows('paused');
      await page.use(page.button('Go on'));
      await page.tab.getByText('live', { exact: true }).waitFor();
      await createGroup(api, 'globex');
      await api.call('DELETE', '/api/v1/user-groups/globex');
      await page.row('user_group.delete').waitFor();
      expect(await page.tab.locator('tbody tr').count()).toBe(1);
      await page.use(page.button('Pause'));
      await page.shows('paused');
      await createGroup(api, 'initech');
      await api.call('DELETE', '/api/v1/user-groups/initech');
      await page.use(page.button('Go on'));
      await page.row('initech').waitFor();
      expect(await page.tab.locator('tbody tr').count()).toBe(2);
    });

    test('the overview counts what there is', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme');
      await createGroup(api, 'globex');
      await api.call('POST', '/api/v1/user-groups/acme/suspend');
      await page.visit();
      const tile = (name: string) => page.tab.locator('.tile').filter({ hasText: name });
      const counts = async () => [
        await tile('User groups').locator('.tile-count').innerText(),
        await tile('Suspended').locator('.tile-count').innerText(),
      ];
      expect(await page.read(['2', '1'], counts)).toEqual(['2', '1']);
      await page.tab.locator('.plot svg').first().waitFor();
      await page.use(tile('Suspended'));
      await page.row('acme').waitFor();
      await page.comesTo('groups?status=suspended');
    });

    test('the overview shows what has happened in the period that is chosen', async () => {
      const { page, workspace } = await begin({ hand });
      await storeActivity(workspace, { hoursAgo: 72, creations: 7 });
      await storeActivity(workspace, { hoursAgo: 720, creations: 40 });
      await page.visit();
      const created = page.tab.locator('.legend').filter({ hasText: 'New groups' }).locator('strong');
      const expectCreated = async (count: string) => {
        expect(await page.read(count, () => created.innerText())).toBe(count);
      };
      await expectCreated('0');
      await page.use(page.tab.getByRole('radio', { name: '7 days' }));
      await expectCreated('7');
      await page.use(page.tab.getByRole('radio', { name: '90 days' }));
      await expectCreated('47');
      await page.comesTo('?period=90d');
      await page.tab.reload();
      await expectCreated('47');
      expect(await page.tab.getByRole('radio', { name: '90 days' }).isChecked()).toBe(true);
    });

    test('a chart tells the numbers of each of its hours', async () => {
      const { page, workspace } = await begin({ hand });
      await storeActivity(workspace, { hoursAgo: 5, creations: 7 });
      await storeActivity(workspace, { hoursAgo: 9, creations: 2 });
      await page.visit();
      const chart = page.tab.locator('.chart').last();
      const plot = chart.locator('.plot');
      const created = chart.locator('.legend').last().locator('strong');
      expect(await page.read('9', () => created.innerText())).toBe('9');
      const { width } = (await plot.boundingBox())!;
      const seen: string[] = [];
      if (hand === 'keyboard') await page.tabTo(plot);
      for (let hour = 23; hour >= 0; hour--) {
        if (hand === 'keyboard') await page.press('ArrowLeft');
        else await plot.hover({ position: { x: 1 + (hour / 23) * (width - 2), y: 20 } });
        await chart.locator('figcaption time').waitFor();
        seen.push(await created.innerText());
      }
      expect(seen).toHaveLength(24);
      expect(seen.filter((count) => count !== '0')).toEqual(['7', '2']);
      if (hand === 'keyboard') await page.press('Escape');
      else await page.heading('Overview').hover();
      await chart.getByText('in all').waitFor();
      expect(await created.innerText()).toBe('9');
    });
  });

  test('the page of the system tells the version and the database', async () => {
    const { page } = await begin();
    await page.visit('system');
    await page.heading(/^System ready$/).waitFor();
    await page.shows(kind === 'sqlite' ? /sqlite/i : /postgres/i);
  });
});

/** The ids of the groups of an export, whose last line is its summary. */
function objectsOf(file: string): string[] {
  const events = file
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditEventView);
  return events.filter(({ object }) => object?.type === 'user_group').map(({ object }) => object!.id);
}

/** As a receiver computes it that has only this secret. */
function signatureBy(secret: string, { id, headers, body }: ReceivedMessage): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const content = `${id}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
