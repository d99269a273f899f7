import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { WebhookReceiver } from '../../support/events/webhook-receiver.ts';
import { until } from '../../support/time/until.ts';

// The page shows the same numbers on each database.
const { begin } = withConsole('sqlite');

test('an endpoint says how many events wait for it, and a replay begins with its first failure and says how many it sends', async () => {
  const receiver = await WebhookReceiver.listen();
  receiver.answer(500);
  const { page, api } = await begin();
  const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
    url: receiver.url,
    event_types: ['user_group.create'],
  });
  const { id } = body.webhook_endpoint;
  for (const group of ['acme', 'globex', 'initech']) await createGroup(api, group);
  const path = `/api/v1/webhook-endpoints/${id}`;
  const endpoint = async () =>
    (await api.call('GET', path)).body.webhook_endpoint as unknown as {
      failing_since: string | null;
      waiting: { count: number };
    };
  await until(async () => {
    const { failing_since, waiting } = await endpoint();
    return failing_since !== null && waiting.count === 3;
  });
  await page.visit('webhooks');
  await page.shows(/, 3 waiting/);
  await page.visit(`webhooks/${id}`);
  await page.shows(/, 3 waiting/);
  await page.button('Replay…').click();
  const dialog = page.dialog('Replay');
  await dialog.getByText('3 will be sent again.').waitFor();
  await dialog.getByLabel('Until').fill('2020-01-02T03:04');
  await dialog.getByText('3 will be sent again.').waitFor({ state: 'detached' });
  page.takeAnyRefusals(422);
});
