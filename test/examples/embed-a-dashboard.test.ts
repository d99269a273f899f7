import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../system/lab/ports.mjs';
import { noteDump, noteTokens } from '../support/jest/leaks.ts';
import { step } from '../support/api/pages.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';

const root = join(import.meta.dirname, '..', '..');
const PAGE = 'docs/guides/embed-a-dashboard.md';
const SESSION = 'session=a-session-of-acme';

/** The group that the quick start has created. */
const ACME = {
  user_group_id: 'acme',
  name: 'Acme EMEA',
  mapping: { sales: 'warehouse-acme' },
  properties: { region: 'EMEA', max_rows: 6 },
};

const children: ChildProcess[] = [];
let server: RunningServer;
let url: string;
let directory: string;
let backendToken: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-embed-'));
  server = await startServer({ DATA_DIR: directory });
  const port = await freePort();
  url = `http://127.0.0.1:${port}/dashboard-token`;
  copyFileSync(
    join(root, 'examples', 'embed-a-dashboard', 'backend.mjs'),
    join(directory, 'backend.mjs'),
  );
  const given = { name: 'backend', scopes: ['embed-tokens:issue'] };
  const issued = await server.api.call('POST', '/api/v1/api-tokens', given);
  backendToken = issued.body.api_token.token;
  noteTokens(backendToken);
  inBackground(step(PAGE, 'start the backend'), directory, {
    BACKEND_TOKEN: backendToken,
    PORT: String(port),
  });
  await until(() =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  await server.api.put(ACME);
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await server.stop();
  noteDump(readFileSync(join(directory, 'user-groups.sqlite')));
  rmSync(directory, { recursive: true });
});

/** Runs a command that a page starts in the background. */
function inBackground(command: string, cwd: string, env: Record<string, string>): ChildProcess {
  const child = spawn('sh', ['-euc', `exec env ${command.replace(/ &$/, '')}`], {
    cwd,
    env: { PATH: process.env['PATH'], USER_GROUPS_URL: server.baseUrl, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

const ask = (headers: Record<string, string> = {}) => fetch(url, { method: 'POST', headers });

test('the backend issues tokens of the group of the session, for its renderer and its page', async () => {
  const response = await ask({ Cookie: SESSION });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const { token, expires_in } = (await response.json()) as { token: string; expires_in: number };
  expect(expires_in).toBe(600);
  expect(await server.api.introspect(token)).toMatchObject({
    active: true,
    sub: 'acme',
    aud: 'dashboards',
    origin: 'http://127.0.0.1:8080',
    properties: ACME.properties,
  });
});

test('the dashboard of the quick start accepts this token, and its log says why it refuses another', async () => {
  const root = join(import.meta.dirname, '..', '..');
  const dataSources = join(directory, 'data-sources');
  const { seed } = (await import(join(root, 'examples/renderer/seed.mjs'))) as {
    seed: (to: string) => void;
  };
  seed(dataSources);
  const start = step('docs/quickstart.md', 'start the dashboard').replace('PORT=4000', 'PORT=0');
  const dashboard = inBackground(start, root, {
    RENDERER_TOKEN: BOOTSTRAP_TOKEN,
    DATA_SOURCES_DIR: dataSources,
  });
  const [line] = (await once(createInterface({ input: dashboard.stdout! }), 'line')) as [string];
  const log: string[] = [];
  createInterface({ input: dashboard.stderr! }).on('line', (text) => log.push(text));
  const query = async (userGroupToken: string) => {
    const body = JSON.stringify({ userGroupToken, from: '2026-01', to: '2026-12' });
    const response = await fetch(`${line.slice('renderer '.length)}/query`, {
      method: 'POST',
      body,
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const issue = async (body: object) => {
    const answer = await server.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', body);
    return answer.body.embed_token.token;
  };
  const { token } = (await (await ask({ Cookie: SESSION })).json()) as { token: string };
  expect(await query(token)).toMatchObject({ status: 200, viewer: 'Acme EMEA' });

  expect(await query(await issue({ audience: 'others' }))).toMatchObject({
    status: 403,
    message: 'This link is for another dashboard.',
  });
  expect(
    await query(await issue({ audience: 'dashboards', origin: 'http://localhost:8080' })),
  ).toMatchObject({ status: 403, message: 'This link is for another site.' });
  const reasons = [
    'audience_differs: the token is for others, and this renderer is dashboards',
    'origin_differs: the token is for pages of http://localhost:8080, and the site is http://127.0.0.1:8080',
  ];
  // On a busy machine it may also tell of an event stream that opens late.
  const told = () => log.filter((text) => text.includes('_differs: '));
  await until(() => told().length >= reasons.length);
  expect(told()).toEqual(reasons);
});

test('without a session there is no token, and the API token is in no response', async () => {
  const responses = await Promise.all([ask(), ask({ Cookie: 'session=another' }), fetch(url)]);
  expect(responses.map(({ status }) => status)).toEqual([401, 401, 404]);
  for (const response of responses) expect(await response.text()).not.toContain(backendToken);
});

test('a suspended group is refused as one that may not see dashboards now', async () => {
  await server.api.call('POST', '/api/v1/user-groups/acme/suspend');
  expect((await ask({ Cookie: SESSION })).status).toBe(403);
  await server.api.call('POST', '/api/v1/user-groups/acme/resume');
  expect((await ask({ Cookie: SESSION })).status).toBe(200);
});
