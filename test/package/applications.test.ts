import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');
const require = createRequire(import.meta.url);
const SCENARIO = join(import.meta.dirname, 'scenario.ts');
const DRIVER = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

/** The limit of one command: a command that hangs fails. */
const LIMIT_MS = 120_000;

/** Versions of what the applications need besides, kept by this project or fixed here. */
const versions: Record<string, string> = {
  ...packageJson.devDependencies,
  ...packageJson.dependencies,
  vitest: '4.1.12',
};
const NEST = ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', '@nestjs/typeorm'];
/** The driver of SQLite is the only driver of a database among them. */
const PEERS = [...NEST, 'better-sqlite3', 'reflect-metadata', 'rxjs', 'typeorm'];

const MAIN = `
import 'reflect-metadata';
import { expected, runScenario } from './scenario.js';
void runScenario().then((result) => { console.log(JSON.stringify({ result, expected })); });
`;
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    types: [],
    lib: ['es2023', 'dom'],
    outDir: 'built',
    rootDir: '.',
  },
  include: ['*.ts'],
};

let directory: string;
let tarball: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-package-'));
  const name = npm(root, 'pack', '--silent', '--pack-destination', directory);
  tarball = join(directory, name.trim().split('\n').at(-1)!);
}, 120_000);

afterAll(() => {
  rmSync(directory, { recursive: true });
});

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe', timeout: LIMIT_MS });
}

function node(cwd: string, ...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: 'pipe', timeout: LIMIT_MS });
}

/** A new application that has installed the tarball, and `tools`. */
function createApplication(type: 'module' | 'commonjs', tools: string[] = []): string {
  const app = mkdtempSync(join(directory, 'app-'));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type }));
  const named = [...PEERS, ...tools].map((name) => `${name}@${versions[name]!}`);
  // The driver of SQLite is copied: to compile it for each application takes a minute.
  npm(app, 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball, ...named);
  mkdirSync(join(app, DRIVER, '..'), { recursive: true });
  cpSync(join(root, DRIVER), join(app, DRIVER));
  cpSync(SCENARIO, join(app, 'scenario.ts'));
  return app;
}

/** Every application has the driver that it has asked for, and one copy of what identifies providers. */
function requireOneNest(app: string): void {
  const tree = npm(app, 'ls', '@nestjs/common', 'typeorm', 'user-group-service', '--all', '--parseable');
  const places = tree
    .trim()
    .split('\n')
    .filter((line) => line.includes('node_modules'));
  expect(places.map((place) => place.split('/node_modules/').slice(1).join(' > ')).sort()).toEqual([
    '@nestjs/common',
    'typeorm',
    'user-group-service',
  ]);
}

test.each(['module', 'commonjs'] as const)(
  'an application of type %s compiles and runs',
  (type) => {
    const app = createApplication(type);
    requireOneNest(app);
    writeFileSync(join(app, 'main.ts'), MAIN);
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    node(app, require.resolve('typescript/bin/tsc'));
    const { result, expected } = JSON.parse(node(app, 'built/main.js')) as Record<string, object>;
    expect(result).toEqual(expected);
  },
  180_000,
);

test('the package brings the command line', () => {
  const app = createApplication('module');
  const cli = (...args: string[]) => {
    const program = join(app, 'node_modules', '.bin', 'user-group-service');
    const env = { PATH: process.env['PATH'], DATA_DIR: join(app, 'data') };
    const { status, stdout } = spawnSync(program, args, { cwd: app, encoding: 'utf8', env, timeout: LIMIT_MS });
    return { status, stdout };
  };
  expect(cli('token', 'create', '--name', 'a')).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^uga_\w{38}\n$/) as string,
  });
  expect(cli('token', 'list').stdout).toMatch(/^1 +a +\w{4} +active /m);
  expect(cli('token', 'show', '9').status).toBe(3);
}, 180_000);

const TEST = (framework: string) => `
import 'reflect-metadata';
${framework}
import { expected as wanted, runScenario } from './scenario';
test('the package works', async () => { expect(await runScenario()).toEqual(wanted); }, 60_000);
`;

test('the tests of an application under Vitest pass', () => {
  const app = createApplication('module', ['vitest']);
  requireOneNest(app);
  writeFileSync(join(app, 'app.test.ts'), TEST(`import { expect, test } from 'vitest';`));
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const report = node(app, 'node_modules/vitest/vitest.mjs', 'run', '--reporter=json');
  expect(JSON.parse(report)).toMatchObject({ numPassedTests: 1, success: true });
}, 180_000);

test('the tests of an application under Jest with SWC pass', () => {
  const app = createApplication('commonjs', ['jest', '@swc/core', '@swc/jest']);
  requireOneNest(app);
  const swc = {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  };
  const config = {
    transform: { '^.+\\.[cm]?[jt]s$': ['@swc/jest', swc] },
    // Packages that consist of ES modules alone have to be compiled. Nest 12 is one.
    transformIgnorePatterns: ['node_modules/(?!(@nestjs|jose|openapi-fetch|user-group-service)/)'],
  };
  writeFileSync(join(app, 'jest.config.json'), JSON.stringify(config));
  writeFileSync(join(app, 'app.test.ts'), TEST(''));
  const report = node(app, 'node_modules/jest/bin/jest.js', '--config', 'jest.config.json', '--json');
  expect(JSON.parse(report)).toMatchObject({ numPassedTests: 1, success: true });
}, 180_000);

test('the example of a plugin passes its tests on the package, and the service loads it from where it was built', () => {
  const app = createApplication('module', ['typescript', '@types/node']);
  requireOneNest(app);
  const example = join(root, 'examples', 'extension-module');
  for (const name of ['src', 'test', 'tsconfig.json']) {
    cpSync(join(example, name), join(app, name), { recursive: true });
  }
  rmSync(join(app, 'scenario.ts'));
  const { scripts } = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  npm(app, 'pkg', 'set', `scripts.test=${scripts['test']!}`);
  expect(npm(app, 'test')).toMatch(/^. pass 1$/m);

  const check = spawnSync(process.execPath, [join(root, 'dist', 'src', 'cli.js'), 'config', 'check'], {
    cwd: app,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], PLUGINS: './dist/src/plugin.js' },
  });
  expect(check.stdout).toContain('Plugins: home-dashboards.');
}, 180_000);
