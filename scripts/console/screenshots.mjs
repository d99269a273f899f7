import BetterSqlite3 from 'better-sqlite3';
import console from 'node:console';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, URL } from 'node:url';
import { Api } from '../../test/system/lab/api.mjs';
import { openSignedIn } from '../../test/system/lab/browser.mjs';
import { launchBrowser } from '../../test/system/lab/chromium.mjs';
import { createSqlite } from '../../test/system/lab/databases.mjs';
import { startServer } from '../../test/system/lab/server.mjs';
import { API_TOKENS, DATA_SOURCES, GROUPS, SCHEMAS, SUSPENDED } from './customers.mjs';

// Takes the pictures of docs/guides/console.md, of the built service with customers that do not exist:
//
//   npm run console:screenshots

const TARGET = fileURLToPath(new URL('../../docs/images/console/', import.meta.url));
const GROUP = 'northwind-traders';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 780 };

const database = await createSqlite();
const receiver = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(204).end());
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const server = await startServer({
  dir: database.dir,
  env: { ...database.env, WEBHOOK_ALLOW_HTTP: 'on', WEBHOOK_ALLOWED_CIDRS: '127.0.0.1' },
});
const origin = new URL(server.url).origin;
const api = new Api(server.url);
const browser = await launchBrowser();
mkdirSync(TARGET, { recursive: true });
try {
  const endpoint = await fill();
  await takeAll(endpoint);
} finally {
  await browser.close();
  api.close();
  await server.stop();
  receiver.close();
  receiver.closeAllConnections();
  await database.drop();
}

async function call(method, path, body = {}) {
  const { status, body: received } = await api.send(method, body, path);
  if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(received)}`);
  return received;
}

/** @returns the number of the webhook endpoint */
async function fill() {
  for (const schema of SCHEMAS) await call('POST', '/api/v1/schemas', schema);
  for (const source of DATA_SOURCES) await call('POST', '/api/v1/data-sources', source);
  const { webhook_endpoint: endpoint } = await call('POST', '/api/v1/webhook-endpoints', {
    url: `http://127.0.0.1:${receiver.address().port}/user-groups`,
    description: 'Backend of the product',
    event_types: ['user_group.*', 'user_group_token.*'],
  });
  const tokens = new Map();
  for (const { body } of GROUPS) {
    const { user_group: group } = await call('PUT', '/api/user', body);
    tokens.set(body.user_group_id, group.token);
  }
  for (const { name, scopes } of API_TOKENS) {
    await call('POST', '/api/v1/api-tokens', { name, scopes });
  }
  await call('PATCH', '/api/v1/workspace', {
    variables: [
      {
        name: 'region',
        type: 'string',
        required: true,
        enum: ['EMEA', 'AMER', 'APAC'],
        description: 'Rows to show.',
      },
      { name: 'max_rows', type: 'integer', required: false, default: 1000 },
      { name: 'currency', type: 'string', required: false, default: 'USD' },
    ],
    required_schemas: ['sales'],
    mapping_policy: 'registered',
  });
  age();
  for (const id of SUSPENDED) await call('POST', `/api/v1/user-groups/${id}/suspend`);
  await call('POST', '/api/v1/introspect', { token: tokens.get(GROUP) });
  const rotated = { current_token: tokens.get(GROUP), grace_period_seconds: 86_400 };
  await call('POST', '/api/user', rotated);
  await call('PUT', '/api/user', { user_group_id: 'contoso-retail', name: 'Contoso Retail Group' });
  await delivered(endpoint.id);
  return endpoint.id;
}

/** Nobody has all their customers since today. */
function age() {
  const file = new BetterSqlite3(join(database.dir, 'user-groups.sqlite'));
  const group = file.prepare(
    `UPDATE user_group SET created_at = created_at - ?, updated_at = updated_at - ?
     WHERE provided_id = ?`,
  );
  const token = file.prepare(
    `UPDATE user_group_token SET created_at = created_at - ?, last_introspected_at = created_at - 480000
     WHERE user_group_id = (SELECT id FROM user_group WHERE provided_id = ?)`,
  );
  GROUPS.forEach(({ days, body }, index) => {
    const minutes = (index * 397) % 720;
    const since = days * DAY + minutes * MINUTE;
    group.run(since, Math.round(since * 0.4), body.user_group_id);
    token.run(since, body.user_group_id);
  });
  const apiToken = file.prepare('UPDATE api_token SET created_at = created_at - ? WHERE name = ?');
  for (const { name, days } of API_TOKENS) apiToken.run(days * DAY, name);
  const activity = file.prepare(
    `INSERT INTO activity (workspace_id, hour, introspections, rotations, creations)
     VALUES (1, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const now = Math.floor(Date.now() / HOUR) * HOUR;
  file.transaction(() => {
    for (let hour = now - 90 * DAY; hour < now; hour += HOUR) {
      activity.run(hour, ...activityAt(new Date(hour)));
    }
  })();
  file.close();
}

/** Dashboards are looked at on workdays, groups come and tokens are rotated now and then. */
function activityAt(hour) {
  const isWorkday = hour.getUTCDay() % 6 !== 0;
  const daylight = Math.max(0, Math.sin(((hour.getUTCHours() - 5) / 14) * Math.PI));
  const chance = (Math.imul(hour.getTime() / HOUR, 2654435761) >>> 0) / 2 ** 32;
  const work = daylight * (isWorkday ? 1 : 0.2);
  const introspections = Math.round((120 + 2600 * work) * (0.85 + 0.3 * chance));
  const rotations = Math.floor(4 * work * chance ** 2 + 0.3);
  return [introspections, rotations, chance > 0.97 ? 1 : 0];
}

/** Resolves once everything that was changed has reached the receiver. */
async function delivered(id) {
  for (;;) {
    const { attempts } = await call('GET', `/api/v1/webhook-endpoints/${id}/attempts`);
    if (attempts.some(({ type }) => type === 'user_group_token.rotate')) return;
    await sleep(100);
  }
}

async function takeAll(endpoint) {
  const light = await signedIn('light', WIDE);
  await take(light, '', 'overview-light');
  await take(light, 'groups', 'groups-light');
  await take(light, `groups/${GROUP}`, 'group-light');
  await light.getByRole('button', { name: 'Rotate' }).click();
  await save(light, 'rotate-light');
  await take(light, 'registry/data-sources', 'registry-light');
  await take(light, 'registry/variables', 'variables-light');
  await light.getByRole('button', { name: 'Edit variables', exact: true }).click();
  await light.getByRole('button', { name: 'Variable', exact: true }).click();
  await light.getByRole('textbox', { name: 'Name' }).last().fill('locale');
  await light.getByRole('combobox', { name: 'If missing' }).last().selectOption('required');
  await light.getByRole('button', { name: 'Preview' }).click();
  await light.getByRole('button', { name: /^Save and deactivate/ }).waitFor();
  await save(light, 'preview-light');
  await take(light, 'api-tokens', 'api-tokens-light');
  await take(light, `audit?object_type=user_group`, 'audit-light', async () => {
    await light.locator('.unfold').first().click();
  });
  await take(light, `webhooks/${endpoint}`, 'webhook-light');
  await take(light, 'events', 'events-light', async () => {
    await light.getByText('live', { exact: true }).waitFor();
    for (const { body } of GROUPS.slice(-5)) {
      const properties = { ...body.properties, max_rows: body.properties.max_rows * 2 };
      await call('PUT', '/api/user', { user_group_id: body.user_group_id, properties });
    }
    const [first] = GROUPS.slice(-5);
    await light.getByRole('link', { name: first.body.user_group_id }).waitFor();
    await light
      .getByRole('link', { name: GROUPS.at(-1).body.user_group_id })
      .first()
      .waitFor();
  });
  await take(light, 'sessions', 'sessions-light');
  await take(light, 'system', 'system-light');

  const dark = await signedIn('dark', WIDE);
  await take(dark, '', 'overview-dark');
  await take(dark, `groups/${GROUP}`, 'group-dark');

  await take(await signedIn('light', NARROW), 'groups', 'groups-narrow-light');

  const stranger = await browser.newPage(lookOf('light', WIDE));
  await take(stranger, '', 'sign-in-light');
}

function lookOf(colorScheme, viewport) {
  return { colorScheme, viewport, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' };
}

function signedIn(colorScheme, viewport) {
  return openSignedIn(browser, origin, lookOf(colorScheme, viewport));
}

/** Shows a place of the console as it is when everything has come, and takes its picture. */
async function take(page, place, name, prepare = async () => undefined) {
  await page.goto('about:blank');
  await page.goto(`${origin}/console/#/${place}`);
  await page.locator('h1').first().waitFor();
  await page.locator('.bone').first().waitFor({ state: 'detached' });
  await prepare();
  await save(page, name);
}

async function save(page, name) {
  const path = join(TARGET, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  console.log(path);
}
