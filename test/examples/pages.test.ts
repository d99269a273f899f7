import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ApiClient } from '../support/api/api-client.ts';
import { noteDump } from '../support/jest/leaks.ts';
import { examplesOf, pages, step } from '../support/api/pages.ts';
import { type RunningServer, startServer } from '../support/process/processes.ts';
import { PATIENT_RENDERER } from '../system/lab/server.mjs';

const root = join(import.meta.dirname, '..', '..');

const interpreters: Record<string, [string, ...string[]]> = {
  sh: ['sh', '-c'],
  python: ['python3', '-c'],
  js: [process.execPath, '--input-type=module', '-e'],
};

const withExamples = pages.filter((page) => examplesOf(page).length > 0);
/** The page that creates the group of which the other pages speak. */
const FIRST_CALLS = 'README.md';

const children = new Set<ChildProcess>();

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

test('there are examples for curl, Python and Node', () => {
  const languages = withExamples.flatMap(examplesOf).map(({ language }) => language);
  expect(new Set(languages)).toEqual(new Set(['sh', 'python', 'js']));
});

describe.each(withExamples)('%s', (page) => {
  let server: RunningServer;
  let directory: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'user-groups-page-'));
    server = await startServer({ DATA_DIR: directory, BOOTSTRAP_API_TOKEN: '' });
    env = {
      ...process.env,
      USER_GROUPS_URL: server.baseUrl,
      USER_GROUPS_TOKEN: readFileSync(join(directory, 'bootstrap-token'), 'utf8').trim(),
      DATA_DIR: directory,
      // An empty variable counts as unset, and keeps a .env file from setting it.
      DATABASE_URL: '',
    };
    if (page !== FIRST_CALLS) await makeVersions(server.apiOf(env['USER_GROUPS_TOKEN']!), 7);
  });

  afterAll(async () => {
    await server.stop();
    noteDump(readFileSync(join(directory, 'user-groups.sqlite')));
    rmSync(directory, { recursive: true });
  });

  test.each(examplesOf(page))(
    '$language example $# does what the page shows',
    ({ language, code, shown }) => {
      const [command, ...args] = interpreters[language]!;
      // Variables that one example exports are there in the next.
      const kept = join(directory, 'exported');
      const text = language === 'sh' ? `set -eu\ntrap 'export -p > ${kept}' EXIT\n${code}` : code;
      const { status, stdout, stderr } = spawnSync(command, [...args, text], {
        cwd: root,
        env,
        encoding: 'utf8',
      });
      expect({ status, stderr: stderr.includes('Error') ? stderr : '' }).toEqual({
        status: 0,
        stderr: '',
      });
      if (shown === undefined) expect(stdout).not.toContain('"success":0');
      else if (shown.language === 'json') expect(masked(stdout)).toEqual(masked(shown.text));
      else expect(stdout.trim()).toBe(shown.text);
      if (language === 'sh') Object.assign(env, exportedIn(kept));
    },
  );

  if (page === 'docs/quickstart.md') {
    test('the dashboard of the page shows two tenants, and empties after the rotation', async () => {
      const foreground = step(page, 'start the dashboard')
        .replace('PORT=4000', 'PORT=0')
        .replace(/ &$/, '');
      const child = spawn('sh', ['-euc', `exec env ${foreground}`], {
        cwd: root,
        env: { ...env, NODE_OPTIONS: `--import=${PATIENT_RENDERER}` },
      });
      children.add(child);
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const [, url] = /^renderer (\S+)$/.exec(line)!;
      const query = async (userGroupToken: string | undefined) => {
        const body = JSON.stringify({ userGroupToken, from: '2026-01', to: '2026-12' });
        const response = await fetch(`${url}/query`, { method: 'POST', body });
        return { status: response.status, ...((await response.json()) as object) };
      };
      const variables = (region: string, max_rows: number) => ({ region, max_rows });
      expect(await query(env['ACME'])).toMatchObject({
        viewer: 'Acme EMEA',
        variables: variables('EMEA', 6),
      });
      // The page has rotated the token of Globex.
      expect(await query(env['GLOBEX'])).toMatchObject({ status: 401 });
      const { user_group } = await server
        .apiOf(env['USER_GROUPS_TOKEN']!)
        .put({ user_group_id: 'globex', name: 'Globex APAC' })
        .then(({ body }) => body as { user_group: { token: string } });
      expect(await query(user_group.token)).toMatchObject({
        viewer: 'Globex APAC',
        variables: variables('APAC', 4),
      });
      child.kill();
      await once(child, 'exit');
    });
  }
});

test('the line that the first run prints works when it is pasted', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-first-run-'));
  const server = await startServer({ DATA_DIR: directory, BOOTSTRAP_API_TOKEN: '' });
  const ready = JSON.parse(/^.*"msg":"ready".*$/m.exec(server.output())![0]) as { try: string };
  const { stdout } = spawnSync('sh', ['-c', `${ready.try} -s`], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ success: 1, new_user_group: true });
  await server.stop();
  rmSync(directory, { recursive: true });
});

/** Creates the group `acme-emea`, and changes it until it has this many versions. */
async function makeVersions(api: ApiClient, count: number): Promise<void> {
  const group = { user_group_id: 'acme-emea', name: 'Acme EMEA' };
  for (let version = 1; version <= count; version++) {
    const { status } = await api.put({ ...group, properties: { region: 'EMEA', version } });
    expect(status).toBe(200);
  }
}

/** The variables that `export -p` has written. */
function exportedIn(file: string): Record<string, string> {
  const { stdout } = spawnSync('sh', ['-c', `. ${file}; env -0`], { env: {}, encoding: 'utf8' });
  const pairs = stdout.split('\0').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
}

const NEW_EACH_TIME = [
  'token',
  'team_id',
  'iat',
  'id',
  'last_four',
  'created_at',
  'updated_at',
  'expires_at',
  'kid',
  'jti',
];

/** Tokens, numbers and times are new in each database. */
function masked(answer: string): unknown {
  return JSON.parse(answer, (key, value: unknown) =>
    NEW_EACH_TIME.includes(key) ? typeof value : value,
  );
}
