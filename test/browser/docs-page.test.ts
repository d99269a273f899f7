import type { Browser, Page } from 'playwright-core';
import { describeOpenApi } from '../../src/docs/openapi.ts';
import { launchChromium } from '../support/chromium.ts';
import { withService } from '../support/test-service.ts';

let browser: Browser;
let page: Page;
const complaints: string[] = [];

// Hooks run as they are declared: the browser lets its connections go before the service ends.
afterAll(() => browser.close());
const service = withService('sqlite');

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${service.baseUrl}/docs`);
});

async function authorize(value: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const scheme = page.locator('.auth-container').filter({ hasText: 'apiKey' });
  await scheme.locator('input').fill(value);
  await scheme.getByRole('button', { name: 'Apply credentials' }).click();
  await scheme.getByRole('button', { name: 'Close' }).click();
}

/** Opens an operation, sends `body` with "Try it out", and gives the answer as the page shows it. */
async function tryOut(
  operationId: string,
  body?: object,
): Promise<{ status: string; text: string }> {
  const operation = page.locator(`[id$="-${operationId}"]`);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  if (body) await operation.locator('textarea.body-param__text').fill(JSON.stringify(body));
  await operation.getByRole('button', { name: 'Execute' }).click();
  const live = operation.locator('.live-responses-table .response');
  await live.waitFor();
  return {
    status: (await live.locator('.response-col_status').innerText()).trim(),
    text: await live.locator('.response-col_description').innerText(),
  };
}

test('the page shows every operation, and what webhooks send', async () => {
  await page.locator('.opblock').first().waitFor();
  const summaries = await page.locator('.opblock-summary-description').allInnerTexts();
  const { paths, webhooks } = await describeOpenApi();
  const described = Object.values({ ...paths, ...webhooks }).flatMap((item) =>
    Object.values(item as Record<string, { summary: string }>).map(({ summary }) => summary),
  );
  expect(described.length).toBeGreaterThan(10);
  expect(summaries.sort()).toEqual(described.sort());
});

test('"Try it out" works for the GET with a body', async () => {
  await authorize(`Token ${service.bootstrapToken}`);
  const answer = await tryOut('createOrLookUpUserGroup', {
    user_group_id: 'browser',
    name: 'From a browser',
  });
  expect(answer.status).toMatch(/^200/);
  expect(answer.text).toContain('"new_user_group": true');
  const { body } = await service.api.get({ user_group_id: 'browser' });
  expect(body.user_group.name).toBe('From a browser');
  expect(answer.text).toContain(body.user_group.token);
});

test('"Try it out" works for PUT and POST', async () => {
  const put = await tryOut('putUserGroup', { user_group_id: 'browser', name: 'Renamed' });
  expect(put.status).toMatch(/^200/);
  const { body: before } = await service.api.get({ user_group_id: 'browser' });
  expect(before.user_group.name).toBe('Renamed');
  const post = await tryOut('rotateUserGroupToken', { current_token: before.user_group.token });
  expect(post.status).toMatch(/^200/);
  const { body: after } = await service.api.get({ user_group_id: 'browser' });
  expect(after.user_group.token).not.toBe(before.user_group.token);
  expect(post.text).toContain(after.user_group.token);
});

test('"Try it out" works for a list', async () => {
  const list = await tryOut('listApiTokens');
  expect(list.status).toMatch(/^200/);
  expect(list.text).toContain('"name": "bootstrap"');
});

test('the token is kept in the memory of the page alone', async () => {
  const kept = await page.evaluate(
    'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
  );
  expect(kept).toBe(JSON.stringify([{}, {}, '', page.url()]));
  expect(page.url()).not.toContain(service.bootstrapToken);
  await page.goto('about:blank');
  await page.goto(`${service.baseUrl}/docs`);
  await page.locator('.opblock').first().waitFor();
  const list = await tryOut('listApiTokens');
  expect(list.status).toMatch(/^401/);
  // What the browser says of the 401 is no complaint of the page.
  complaints.splice(0, Infinity, ...complaints.filter((text) => !text.includes('401')));
});

test('the page asks nothing of other servers and nothing in it fails', () => {
  expect(complaints).toEqual([]);
});
