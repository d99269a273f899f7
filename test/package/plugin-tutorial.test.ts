import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import packageJson from '../../package.json' with { type: 'json' };
import { until } from '../support/time/until.ts';

const root = join(import.meta.dirname, '..', '..');
const DRIVER = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
const LIMIT_MS = 120_000;

/** A block of commands, or of SQL, and the lines that its output must have. */
interface Step {
  commands: string;
  isBackground: boolean;
  isSql: boolean;
  output: string[];
}

let directory: string;
let port: number;
let server: ChildProcess | undefined;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-tutorial-'));
  const listener = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  port = (listener.address() as AddressInfo).port;
  await new Promise((resolve) => listener.close(resolve));
});

afterAll(async () => {
  if (server?.exitCode === null) {
    server.kill();
    await new Promise((resolve) => server!.once('exit', resolve));
  }
  rmSync(directory, { recursive: true });
});

function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(\w+)( background)?\n(.*?)^```$/gms)];
  const steps: Step[] = [];
  for (const [, language, background, text = ''] of blocks) {
    const isSql = language === 'sql';
    if (isSql || language === 'sh') {
      steps.push({ commands: text, isSql, isBackground: background !== undefined, output: [] });
    }
    if (language === 'text') steps.at(-1)!.output = text.trim().split('\n');
  }
  return steps;
}

/** The variables of the reader's shell. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, PORT: `${port}` };
}

/** The commands on the port of this test. The driver of SQLite, which would be compiled for minutes, is copied from this project. */
function adapted(commands: string): string {
  return commands
    .replaceAll(':3000', `:${port}`)
    .replaceAll('/path/to/checkout', root)
    .replace('npm install', 'npm install --ignore-scripts --prefer-offline');
}

test('every command of the tutorial runs in an empty directory, and says what the page says', async () => {
  const steps = stepsOf(readFileSync(join(root, 'docs', 'extend', 'plugin-tutorial.md'), 'utf8'));
  expect(steps.map(({ isBackground }) => isBackground).filter(Boolean)).toHaveLength(1);
  let cwd = directory;
  let settings = '';
  for (const { commands, isBackground, isSql, output } of steps) {
    if (isSql) {
      const database = new Database(join(cwd, 'data', 'user-groups.sqlite'));
      expect(database.prepare(commands).run().changes).toBe(1);
      database.close();
      continue;
    }
    const script = `exec 2>&1; set -eo pipefail\n${settings}${adapted(commands)}`;
    if (isBackground) {
      server = spawn('bash', ['-c', `${settings}exec env ${commands}`], {
        cwd,
        env: environment(),
        stdio: 'ignore',
      });
      await until(() =>
        fetch(`http://127.0.0.1:${port}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      continue;
    }
    const said = execFileSync('bash', ['-c', script], {
      cwd,
      env: environment(),
      encoding: 'utf8',
      timeout: LIMIT_MS,
    });
    expect(output.filter((line) => !said.includes(line))).toEqual([]);
    settings +=
      adapted(commands)
        .match(/^export .*\n/gm)
        ?.join('') ?? '';
    if (commands.includes('cd home-dashboards')) {
      cwd = join(directory, 'home-dashboards');
      mkdirSync(join(cwd, DRIVER, '..'), { recursive: true });
      cpSync(join(root, DRIVER), join(cwd, DRIVER));
    }
    if (commands.includes('npm install')) expect(scriptsIn(cwd)).toEqual(['better-sqlite3']);
  }
  expect(server?.exitCode).toBeNull();
});

/** The installed packages that would run a script: npm asks about each that `allowScripts` does not name. */
function scriptsIn(cwd: string): string[] {
  const { packages } = JSON.parse(
    readFileSync(join(cwd, 'node_modules', '.package-lock.json'), 'utf8'),
  ) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const withScript = Object.entries(packages).filter(
    ([, { hasInstallScript }]) => hasInstallScript,
  );
  return withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
}

test('the example has the versions of the service', () => {
  const versions: Record<string, string> = {
    ...packageJson.devDependencies,
    ...packageJson.dependencies,
  };
  const example = JSON.parse(
    readFileSync(join(root, 'examples/extension-module/package.json'), 'utf8'),
  ) as {
    devDependencies: Record<string, string>;
    overrides: Record<string, string>;
  };
  expect(packageJson.overrides).toMatchObject(example.overrides);
  expect(Object.keys(example.overrides)).toContain('@scarf/scarf');
  const { 'user-group-service': own, ...others } = example.devDependencies;
  expect(own).toBe('file:user-group-service.tgz');
  expect(others).toEqual(
    Object.fromEntries(Object.keys(others).map((name) => [name, versions[name]])),
  );
});
