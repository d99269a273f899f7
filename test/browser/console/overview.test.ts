import { until } from '../../support/time/until.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import type { ConsolePage } from '../../support/console/console-page.ts';
import { introspectOnce } from '../../support/console/console-content.ts';

const { begin } = withConsole('sqlite');

const DAY_MS = 86_400_000;
const item = (page: ConsolePage, words: string) =>
  page.tab.locator('.work li').filter({ hasText: words });

test('the overview says in one line that all is well', async () => {
  const { page, api } = await begin();
  await introspectOnce(api, await createGroup(api, 'acme'));
  await page.visit();
  await page.shows('All is well: nothing needs attention.');
  expect(await page.read(0, () => page.tab.locator('.work li').count())).toBe(0);
  expect(await page.accessibilityViolations()).toEqual([]);
});

test('nothing is well before the groups are checked against changed rules', async () => {
  const { page, api } = await begin();
  await introspectOnce(api, await createGroup(api, 'acme'));
  let isKnown = false;
  await page.tab.route('**/api/v1/overview', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { overview: { user_groups: object } };
    if (!isKnown) Object.assign(body.overview.user_groups, { incomplete: null, unresolved: null });
    await route.fulfill({ json: body });
  });
  await page.visit();
  await item(page, '1user group is being checked against the changed rules.').waitFor();
  expect(await page.read(0, () => page.tab.getByText('All is well').count())).toBe(0);
  isKnown = true;
  await page.visit();
  await page.shows('All is well: nothing needs attention.');
});

test('each thing that needs attention has its number, a sentence, and a link to exactly these things', async () => {
  const { page, api } = await begin();
  const whole = { properties: { plan: 'trial' } };
  await introspectOnce(api, await createGroup(api, 'whole', whole));
  for (const id of ['lacks-1', 'lacks-2']) await createGroup(api, id);
  await createGroup(api, 'stopped', whole);
  await createGroup(api, 'over', whole);
  await api.rotate(await createGroup(api, 'rotated', whole), 3600);
  await api.call('POST', '/api/v1/user-groups/stopped/suspend');
  await api.call('PATCH', '/api/v1/user-groups/over', { valid_until: '2001-01-01T00:00:00Z' });
  await api.call('PATCH', '/api/v1/workspace', {
    variables: [{ name: 'plan', type: 'string', required: true }],
  });
  const expires_at = new Date(Date.now() + 3 * DAY_MS).toISOString();
  await api.call('POST', '/api/v1/api-tokens', {
    name: 'old ci',
    scopes: ['audit:read'],
    expires_at,
  });
  for (const [words, count, place] of [
    [
      'are inactive: required data is missing. Most often missing: plan (text).',
      '2',
      'groups?status=incomplete',
    ],
    ['user group is suspended', '1', 'groups?status=suspended'],
    ['user group has expired', '1', 'groups?status=expired'],
    ['old token is still valid after a rotation; none used', '1', 'groups?status=overlap'],
    ['API token expires within 30 days: old ci in 3 days', '1', 'api-tokens?search=old+ci'],
  ] as const) {
    await page.visit();
    const one = item(page, words);
    await one.waitFor();
    expect([words, await page.read(count, () => one.locator('strong').innerText())]).toEqual([
      words,
      count,
    ]);
    await one.getByRole('link').click();
    await page.comesTo(place);
    await page.tab.locator('tbody tr:not(.bones)').first().waitFor();
    const rows = () => page.tab.locator('tbody tr').count();
    expect([words, await page.read(Number(count), rows)]).toEqual([words, Number(count)]);
  }
  await page.visit();
  await item(page, 'required data').waitFor();
  expect(await page.read(0, () => page.tab.getByText('All is well').count())).toBe(0);
  expect(await page.accessibilityViolations()).toEqual([]);
});

test('a webhook endpoint that fails is named', async () => {
  const { page, api } = await begin();
  await introspectOnce(api, await createGroup(api, 'acme'));
  const url = 'http://127.0.0.2:9/hook';
  const { body } = await api.call('POST', '/api/v1/webhook-endpoints', {
    url,
    event_types: ['user_group.*'],
  });
  await createGroup(api, 'birch');
  const { id } = body.webhook_endpoint;
  await until(async () => {
    const { text } = await api.call('GET', `/api/v1/webhook-endpoints/${id}`);
    return !text.includes('"failing_since":null');
  });
  await page.visit();
  const failing = item(page, 'webhook endpoint gets no events: 127.0.0.2:9/');
  await failing.getByRole('link').click();
  await page.comesTo(`webhooks/${id}`);
});

test('a session without other scopes sees what it may of the groups', async () => {
  const { page, api } = await begin({
    scopes: ['user-groups:read', 'user-groups:write', 'tokens:introspect'],
  });
  await api.call('PUT', '/api/v1/user-groups/acme', { name: 'acme' });
  await api.call('POST', '/api/v1/user-groups/acme/suspend');
  await page.visit();
  await item(page, 'user group is suspended').waitFor();
  await page.shows('All is well');
  expect(await page.read(0, () => page.tab.locator('.trouble').count())).toBe(0);
});
