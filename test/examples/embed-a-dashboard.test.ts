import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../system/lab/ports.mjs';
import { marked } from '../support/pages.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/processes.ts';
import { until } from '../support/until.ts';

const PAGE = 'docs/guides/embed-a-dashboard.md';
const SESSION = 'session=a-session-of-acme';

interface PageScript {
  dashboardToken: (options?: { renew?: boolean }) => Promise<string>;
}

let server: RunningServer;
let backend: ChildProcess;
let url: string;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-embed-'));
  server = await startServer({ DATA_DIR: directory });
  const port = await freePort();
  url = `http://127.0.0.1:${port}/dashboard-token`;
  backend = spawn(process.execPath, ['--input-type=module', '-e', marked(PAGE, 'backend')], {
    env: { USER_GROUPS_URL: server.baseUrl, USER_GROUPS_TOKEN: BOOTSTRAP_TOKEN, PORT: String(port) },
    stdio: 'ignore',
  });
  await until(() =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  await server.api.put({ user_group_id: 'acme-emea', name: 'Acme EMEA', properties: { region: 'EMEA' } });
});

afterAll(async () => {
  backend.kill('SIGKILL');
  await server.stop();
  rmSync(directory, { recursive: true });
});

const ask = (headers: Record<string, string> = {}) => fetch(url, { method: 'POST', headers });

test('the backend issues tokens of the group of the session, for its renderer and its page', async () => {
  const response = await ask({ Cookie: SESSION });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const { token, expires_in } = (await response.json()) as { token: string; expires_in: number };
  expect(expires_in).toBe(600);
  expect(await server.api.introspect(token)).toMatchObject({
    ...{ active: true, sub: 'acme-emea', aud: 'https://dashboards.example.com', origin: 'https://app.example.com' },
    properties: { region: 'EMEA' },
  });
});

test('without a session there is no token, and the API token is in no response', async () => {
  const responses = await Promise.all([ask(), ask({ Cookie: 'session=another' }), fetch(url)]);
  expect(responses.map(({ status }) => status)).toEqual([401, 401, 404]);
  for (const response of responses) expect(await response.text()).not.toContain(BOOTSTRAP_TOKEN);
});

test('a suspended group is refused as one that may not see dashboards now', async () => {
  await server.api.put({ user_group_id: 'acme-emea', name: 'Acme EMEA' });
  await server.api.call('POST', '/api/v1/user-groups/acme-emea/suspend');
  expect((await ask({ Cookie: SESSION })).status).toBe(403);
  await server.api.call('POST', '/api/v1/user-groups/acme-emea/resume');
  expect((await ask({ Cookie: SESSION })).status).toBe(200);
});

test('the page keeps a token while it is good for a minute, shares one request, and renews it', async () => {
  const file = join(directory, 'page.mjs');
  writeFileSync(file, marked(PAGE, 'page'));
  const { dashboardToken } = (await import(file)) as PageScript;
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const asked = jest.spyOn(globalThis, 'fetch').mockImplementation(() => {
    const body = { token: `token ${asked.mock.calls.length}`, expires_in: 600 };
    return Promise.resolve(new Response(JSON.stringify(body)));
  });
  expect(await Promise.all([dashboardToken(), dashboardToken()])).toEqual(['token 1', 'token 1']);
  now = 539_000;
  expect(await dashboardToken()).toBe('token 1');
  now = 541_000;
  expect(await dashboardToken()).toBe('token 2');
  expect(await dashboardToken({ renew: true })).toBe('token 3');
  asked.mockResolvedValueOnce(new Response('', { status: 503 }));
  await expect(dashboardToken({ renew: true })).rejects.toThrow('The dashboard is not available (503).');
  jest.restoreAllMocks();
});
