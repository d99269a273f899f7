import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { source as axeSource } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';
import { launchBrowser } from '../system/lab/chromium.mjs';
import { COLOUR_RULES } from '../support/console/console-page.ts';
import { withService } from '../support/test-service.ts';
import { readUntil } from '../support/time/until.ts';

let browser: Browser;
let page: Page;
const complaints: string[] = [];

// Hooks run as they are declared: the browser lets its connections go before the service ends.
afterAll(() => browser.close());
const service = withService('sqlite');

// Axe examines each state as a whole.
beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${service.baseUrl}/docs`);
});

/** Opens the dialog, pastes the API token where the focus is, and presses Enter. */
async function authorize(value: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const scheme = page.locator('.auth-container').filter({ hasText: 'ApiToken' });
  await scheme.locator('input').waitFor();
  await page.keyboard.insertText(value);
  await page.keyboard.press('Enter');
  await scheme.getByRole('button', { name: 'Close' }).click();
}

/** Does something on another page, which is closed after it. */
async function onNewPage(url: string, work: () => Promise<void>): Promise<void> {
  const before = page;
  page = await browser.newPage();
  try {
    await page.goto(url);
    await page.locator('.opblock').first().waitFor();
    await work();
  } finally {
    await page.close();
    page = before;
  }
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
  const { paths, webhooks } = await describeOpenApi();
  const described = Object.values({ ...paths, ...webhooks }).flatMap((item) =>
    Object.values(item as Record<string, { summary: string }>).map(({ summary }) => summary),
  );
  expect(described.length).toBeGreaterThan(10);
  described.sort();
  const summaries = page.locator('.opblock-summary-description');
  const shown = async () => (await summaries.allInnerTexts()).sort();
  expect(await readUntil(described, shown)).toEqual(described);
});

test('the page has a filter, keeps the models closed, and names the scopes', async () => {
  expect(await readUntil(1, () => page.locator('input.operation-filter-input').count())).toBe(1);
  expect(await readUntil(0, () => page.locator('.models.is-open').count())).toBe(0);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.dialog-ux');
  for (const scope of ['user-groups:write', 'tokens:introspect', 'admin']) {
    await dialog.getByText(scope).first().waitFor();
  }
  await dialog.getByRole('button', { name: 'Close' }).last().click();
});

test('axe finds nothing, in either scheme, and the dialog of credentials begins with the API token', async () => {
  // Nothing but colours differs in the other scheme.
  for (const [colorScheme, rules] of [
    ['light', {}],
    ['dark', { runOnly: COLOUR_RULES }],
  ] as const) {
    const tab = await browser.newPage({ colorScheme });
    await tab.goto(`${service.baseUrl}/docs`);
    await tab.locator('.opblock').first().waitFor();
    await tab.evaluate(axeSource);
    const expectNothing = async (state: string) => {
      const { violations } = await tab.evaluate<{
        violations: { id: string; nodes: { html: string }[] }[];
      }>(`axe.run(${JSON.stringify({ resultTypes: ['violations'], ...rules })})`);
      const found = violations.map(({ id, nodes }) => [id, nodes[0]!.html]);
      expect([colorScheme, state, found]).toEqual([colorScheme, state, []]);
    };
    await expectNothing('closed');
    const operation = tab.locator('[id$="-upsertUserGroup"]');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await expectNothing('an operation');
    await tab.getByRole('button', { name: 'Authorize' }).first().click();
    await tab.getByRole('dialog', { name: 'Authorize' }).waitFor();
    const focused = () => tab.evaluate<string>('document.activeElement.id');
    expect(await readUntil('api_key_value', focused)).toBe('api_key_value');
    const scrolled = () =>
      tab.evaluate<number>(`document.querySelector('.modal-ux-content').scrollTop`);
    expect(await readUntil(0, scrolled)).toBe(0);
    await expectNothing('credentials');
    const address = () => tab.getByRole('link', { name: 'Console' }).getAttribute('href');
    expect(await readUntil('console/', address)).toBe('console/');
    await tab.close();
  }
});

test('a token that is pasted after Authorize is sent, and the page shows how long the call took', async () => {
  await onNewPage(`${service.baseUrl}/docs`, async () => {
    await authorize(service.bootstrapToken);
    const answer = await tryOut('upsertUserGroup', {
      user_group_id: 'pasted',
      name: 'By a pasted token',
    });
    expect(answer.status).toMatch(/^200/);
    const { body } = await service.api.get({ user_group_id: 'pasted' });
    expect(answer.text).toContain(body.user_group.token);
    const operation = () => page.locator('[id$="-upsertUserGroup"]').innerText();
    for (const words of [
      /Request duration\s+\d+ ms/,
      /Required scopes: user-groups:write and user-group-tokens:read\./,
    ]) {
      expect(await readUntil(expect.stringMatching(words), operation)).toMatch(words);
    }
  });
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
  const put = await tryOut('upsertUserGroup', { user_group_id: 'browser', name: 'Renamed' });
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

test('the page shows the errors of an operation, with an example', async () => {
  const operation = page.locator('[id$="-suspendUserGroup"]');
  await operation.locator('.opblock-summary-control').click();
  const notFound = operation.locator('tr.response[data-code="404"]');
  await notFound.waitFor();
  for (const words of ['No user group', '"code": "user_group_not_found"']) {
    expect(await readUntil(expect.stringContaining(words), () => notFound.innerText())).toContain(
      words,
    );
  }
});

test('"Try it out" works below a path of a proxy', async () => {
  const proxy = await startProxy('/groups');
  const { port } = proxy.address() as AddressInfo;
  try {
    await onNewPage(`http://127.0.0.1:${port}/groups/docs`, async () => {
      await authorize(service.bootstrapToken);
      const answer = await tryOut('upsertUserGroup', {
        user_group_id: 'proxied',
        name: 'Below a path',
      });
      expect(answer.status).toMatch(/^200/);
      expect(answer.text).toContain('"provided_id": "proxied"');
    });
  } finally {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

/** Passes on what is below the path, without it, and has nothing elsewhere. */
async function startProxy(path: string): Promise<Server> {
  const proxy = createServer((from, to) => {
    if (!from.url!.startsWith(`${path}/`)) {
      to.writeHead(404).end();
      return;
    }
    const { method, headers } = from;
    const target = new URL(service.baseUrl + from.url!.slice(path.length));
    const passed = request(target, { method, headers }, (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(to);
    });
    from.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

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
  // The browser reports each 401; that is no complaint of the page.
  complaints.splice(0, Infinity, ...complaints.filter((text) => !text.includes('401')));
});

test('the page asks nothing of other servers and nothing in it fails', () => {
  expect(complaints).toEqual([]);
});
