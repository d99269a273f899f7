import { createHmac } from 'node:crypto';
import type { ApiClient } from '../../support/api/api-client.ts';
import { byHandOn } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import { type ReceivedMessage, WebhookReceiver } from '../../support/events/webhook-receiver.ts';
import { until } from '../../support/time/until.ts';

onEachDatabase((kind) => {
  const { begin } = withConsole(kind);

  const createEndpoint = async (api: ApiClient, fields: object = {}) => {
    const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
      event_types: ['user_group.create'],
      ...fields,
    });
    return body.webhook_endpoint.id;
  };
  const endpointOf = async (api: ApiClient, id: number) =>
    (await api.call('GET', `/api/v1/webhook-endpoints/${id}`)).body.webhook_endpoint;

  byHandOn(kind, (hand) => {
    test('an endpoint is made for some types, and what was sent and returned is seen without a reload', async () => {
      const receiver = await WebhookReceiver.listen();
      receiver.answer(500, {}, '<b>out of order</b>');
      const { page, api } = await begin({ hand });
      await page.visit('webhooks');
      await page.shows('There are no webhook endpoints yet');
      await page.use(page.button('New endpoint'));
      await page.write(page.field('URL'), receiver.url);
      await page.write(page.field('Description'), 'Our receiver');
      await page.use(page.field('Only these'));
      expect(await page.read(true, () => page.button('Create').isDisabled())).toBe(true);
      await page.use(page.tab.locator('summary').filter({ hasText: /^user group (all|none)/ }));
      await page.use(page.field('All of user_group.*'));
      await page.write(page.field('Other types'), '*.revoke');
      await page.use(page.button('Add header'));
      await page.write(page.field('Name'), 'X-Api-Key');
      await page.write(page.field('Value'), 'opens sesame');
      await page.use(page.button('Create'));
      expect(await page.read(expect.stringMatching(/^whsec_/), () => page.readSecret())).toMatch(
        /^whsec_/,
      );
      await page.use(page.button('Copy and close'));
      await page.heading(/Our receiver/).waitFor();
      const { body } = await api.call('GET', '/api/v1/webhook-endpoints');
      expect(body.webhook_endpoints).toMatchObject([
        { event_types: ['user_group.*', '*.revoke'], headers: ['X-Api-Key'] },
      ]);
      await createGroup(api, 'acme');
      const row = page.row('user_group.create');
      await row.getByText('500', { exact: true }).waitFor();
      expect((await receiver.receive(1))[0]!.headers['x-api-key']).toBe('opens sesame');
      await page.heading(/failing$/).waitFor();
      await page.shows(/0 of \d+ delivered in the last hour/);
      await page.use(row.getByRole('button', { name: /^Details of/ }));
      const details = page.tab.locator('tr.details');
      await details.getByText('webhook-signature').waitFor();
      await details.getByText('The response is not kept').first().waitFor();
      expect(
        await page.read(expect.stringContaining('"provided_id": "acme"'), () =>
          details.getByRole('region', { name: 'What was sent' }).innerText(),
        ),
      ).toContain('"provided_id": "acme"');
      receiver.answer(204);
      await page.use(details.getByRole('button', { name: 'Send again' }));
      await row.getByText('delivered').waitFor();
      await page.heading(/enabled$/).waitFor();
      // The attempts of an event are together.
      expect(await page.read(1, () => page.tab.locator('tbody tr:not(.details)').count())).toBe(1);
    });

    test('patterns are typed key by key, and all events and back keeps them', async () => {
      const receiver = await WebhookReceiver.listen();
      const { page, api } = await begin({ hand });
      const id = await createEndpoint(api, { url: receiver.url });
      await page.visit(`webhooks/${id}`);
      await page.use(page.button('Edit'));
      const others = page.field('Other types');
      await others.pressSequentially('*.delete *.rotate, *');
      expect(await page.read('*.delete *.rotate, *', () => others.inputValue())).toBe(
        '*.delete *.rotate, *',
      );
      expect(await page.read(true, () => page.field('Only these').isChecked())).toBe(true);
      await others.pressSequentially('.revoke');
      await page.use(page.field('All events, also future types'));
      await others.waitFor({ state: 'detached' });
      await page.use(page.field('Only these'));
      expect(await page.read('*.delete *.rotate, *.revoke', () => others.inputValue())).toBe(
        '*.delete *.rotate, *.revoke',
      );
      await page.use(page.button('Save'));
      await page.tab.locator('dialog').waitFor({ state: 'detached' });
      expect((await endpointOf(api, id)).event_types).toEqual([
        'user_group.create',
        '*.delete',
        '*.rotate',
        '*.revoke',
      ]);
      await page.use(page.button('Edit'));
      expect(await page.read('*.delete *.rotate *.revoke', () => others.inputValue())).toBe(
        '*.delete *.rotate *.revoke',
      );
      await page.use(page.field('All events, also future types'));
      await page.use(page.button('Save'));
      await page.tab.locator('dialog').waitFor({ state: 'detached' });
      expect((await endpointOf(api, id)).event_types).toEqual(['*']);
    });

    test('an edit leaves what somebody else has changed meanwhile', async () => {
      const receiver = await WebhookReceiver.listen();
      const { page, api } = await begin({ hand });
      const id = await createEndpoint(api, { url: receiver.url });
      await page.visit(`webhooks/${id}`);
      await page.use(page.button('Edit'));
      await page.write(page.field('Description'), 'Ours');
      const theirs = { headers: { 'X-Zone': 'eu' }, event_types: ['user_group.delete'] };
      await api.call('PATCH', `/api/v1/webhook-endpoints/${id}`, theirs);
      await page.use(page.button('Save'));
      await page.heading(/^Ours/).waitFor();
      expect(await endpointOf(api, id)).toMatchObject({
        description: 'Ours',
        headers: ['X-Zone'],
        event_types: ['user_group.delete'],
      });
    });

    test('a test event shows what the endpoint has responded, and changes nothing', async () => {
      const receiver = await WebhookReceiver.listen();
      receiver.answer(503, {}, 'come back later');
      const { page, api } = await begin({ hand });
      const id = await createEndpoint(api, { url: receiver.url });
      await page.visit(`webhooks/${id}`);
      await page.use(page.button('Send test event'));
      const dialog = page.dialog('Test event');
      await dialog.getByText('did not take it').waitFor();
      await dialog.getByText('503', { exact: true }).waitFor();
      await dialog.getByText('come back later').waitFor();
      expect(
        await page.read(expect.stringContaining('webhook.test'), () =>
          dialog.getByRole('region', { name: 'What was sent' }).innerText(),
        ),
      ).toContain('webhook.test');
      receiver.answer(200);
      await page.use(dialog.getByRole('button', { name: 'Send again' }));
      await dialog.getByText('The endpoint took it').waitFor();
      await page.use(dialog.getByRole('button', { name: 'Close' }).last());
      expect(await page.read(2, () => page.row('webhook.test').count())).toBe(2);
      await page.use(page.row('webhook.test').first().getByRole('button'));
      await page.shows('webhook-signature');
      expect(await page.read(0, () => page.button('Send again').count())).toBe(0);
      expect(await endpointOf(api, id)).toMatchObject({ enabled: true, failing_since: null });
    });

    test('an endpoint is changed, gets another secret, is disabled after a question, and deleted by its host', async () => {
      const receiver = await WebhookReceiver.listen();
      const { page, api } = await begin({ hand });
      const headers = { 'X-Api-Key': 'old', 'X-Zone': 'eu' };
      const id = await createEndpoint(api, {
        url: `${receiver.url}old`,
        description: 'Old',
        headers,
      });
      await page.visit(`webhooks/${id}`);
      await page.use(page.button('Edit'));
      await page.write(page.field('URL'), receiver.url);
      await page.write(page.field('Description'), 'Our receiver');
      await page.use(page.field('user_group.delete'));
      await page.shows('X-Api-Key, X-Zone');
      await page.use(page.button('Save'));
      await page.heading(/^Our receiver/).waitFor();
      expect(await endpointOf(api, id)).toMatchObject({
        url: receiver.url,
        description: 'Our receiver',
        event_types: ['user_group.create', 'user_group.delete'],
        headers: ['X-Api-Key', 'X-Zone'],
      });

      await page.use(page.button('Edit'));
      await page.use(page.button('Replace…'));
      await page.write(page.field('Value').first(), 'new');
      await page.use(page.button('Remove the header X-Zone'));
      await page.use(page.button('Save'));
      await page.tab.locator('dialog').waitFor({ state: 'detached' });

      await page.use(page.button('Replace secret'));
      await page.use(page.tab.getByRole('radio', { name: 'now' }));
      await page.use(page.button('Replace and end the old secret now'));
      await page.dialog('The secret of the endpoint').waitFor();
      const secret = await page.readSecret();
      await page.use(page.button('Copy and close'));
      await createGroup(api, 'acme');
      const [message] = await receiver.receive(1);
      expect(message!.headers['webhook-signature']).toBe(signatureBy(secret, message!));
      expect([message!.headers['x-api-key'], message!.headers['x-zone']]).toEqual([
        'new',
        undefined,
      ]);

      await page.use(page.button('Disable'));
      await page.use(page.dialog('Disable this endpoint').getByRole('button', { name: 'Cancel' }));
      expect((await endpointOf(api, id)).enabled).toBe(true);
      await page.use(page.button('Disable'));
      await page.use(page.dialog('Disable this endpoint').getByRole('button', { name: 'Disable' }));
      await page.use(page.button('Enable'));
      await page.button('Disable').waitFor();
      expect((await endpointOf(api, id)).enabled).toBe(true);

      await page.use(page.button('Delete'));
      expect(await page.read(true, () => page.button('Delete for good').isDisabled())).toBe(true);
      const { host } = new URL(receiver.url);
      await page.write(page.field(`Type its host ${host} to confirm`), host);
      await page.use(page.button('Delete for good'));
      await page.shows('There are no webhook endpoints yet');
      const { body } = await api.call('GET', '/api/v1/webhook-endpoints');
      expect(body.webhook_endpoints).toEqual([]);
      // A list that follows what is sent may be loading when its endpoint goes.
      page.takeAnyRefusals(404);
    });

    test('what was sent in a period is sent again, and the attempts of one event are found', async () => {
      const receiver = await WebhookReceiver.listen();
      const { page, api } = await begin({ hand });
      const id = await createEndpoint(api, { url: receiver.url });
      for (const group of ['acme', 'globex']) await createGroup(api, group);
      const first = [...(await receiver.receive(2))];
      await page.visit(`webhooks/${id}`);
      const dialog = page.dialog('Replay');
      const sendAgain = async (since: string, to: string, isArrivedToo: boolean) => {
        await page.use(page.button('Replay…'));
        await page.write(dialog.getByLabel('Since'), since);
        if (to) await page.write(dialog.getByLabel('Until'), to);
        if (isArrivedToo) await page.use(dialog.getByRole('checkbox'));
        await page.use(dialog.getByRole('button', { name: 'Replay' }));
        await dialog.waitFor({ state: 'detached' });
      };
      await sendAgain('2020-01-02T03:04', '2020-01-02T13:14', true);
      await page.shows('They will be sent again');
      const list = '/api/v1/audit-events?types=webhook_endpoint.replay';
      const replayed = async () =>
        (await api.call('GET', list)).body.audit_events.map(({ details }) => details);
      await until(async () => (await replayed()).length === 1);
      expect(await replayed()).toMatchObject([{ replayed: 0 }]);
      await sendAgain('2020-01-02T03:04', '', true);
      const again = (await receiver.receive(4)).slice(2);
      expect(again.map((one) => one.id).sort()).toEqual(first.map((one) => one.id).sort());

      const rows = page.row('user_group.create').filter({ hasText: '2 attempts' });
      expect(await page.read(2, () => rows.count())).toBe(2);
      await page.write(page.field('Attempts of one event, by its webhook-id'), first[0]!.id);
      expect(await page.read(1, () => rows.count())).toBe(1);
      await page.use(rows.getByRole('button', { name: /^Details of/ }));
      const listed = page.tab.locator('tr.details li');
      expect(await page.read(2, () => listed.count())).toBe(2);
      expect(await page.read(0, () => page.row(first[1]!.id).count())).toBe(0);
    });
  });
});

/** The signature that a receiver computes with this secret alone. */
function signatureBy(secret: string, { id, headers, body }: ReceivedMessage): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const content = `${id}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
