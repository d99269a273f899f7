import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packService } from '../support/code/pack.ts';
import packageJson from '../../package.json' with { type: 'json' };

export const root = join(import.meta.dirname, '..', '..');
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const SCENARIO = join(import.meta.dirname, 'scenario.ts');
const DRIVER = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

/** The limit of one command: a command that hangs fails. */
export const LIMIT_MS = 600_000;

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
export const TSCONFIG = {
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

// The package is made once for each file of tests.
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-package-'));
  tarball = packService(directory);
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

export function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe', timeout: LIMIT_MS });
}

export function node(cwd: string, ...args: string[]): string {
  return execFileSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    timeout: LIMIT_MS,
  });
}

/** A new application that has installed the tarball, and `tools`. */
export function createApplication(type: 'module' | 'commonjs', tools: string[] = []): string {
  const app = mkdtempSync(join(directory, 'app-'));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type }));
  const named = [...PEERS, ...tools].map((name) => `${name}@${versions[name]!}`);
  // The driver of SQLite is copied: to compile it for each application takes a minute.
  npm(
    app,
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    tarball,
    ...named,
  );
  mkdirSync(join(app, DRIVER, '..'), { recursive: true });
  cpSync(join(root, DRIVER), join(app, DRIVER));
  cpSync(SCENARIO, join(app, 'scenario.ts'));
  return app;
}

/** Every application has the driver that it has asked for, and one copy of what identifies providers. */
export function requireOneNest(app: string): void {
  const tree = npm(
    app,
    'ls',
    '@nestjs/common',
    'typeorm',
    'user-group-service',
    '--all',
    '--parseable',
  );
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

/** Compiles and runs the scenario in an application. @returns what it found, and what it has to find */
export function runCompiled(app: string): Record<string, object> {
  writeFileSync(join(app, 'main.ts'), MAIN);
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  node(app, compiler);
  return JSON.parse(node(app, 'built/main.js')) as Record<string, object>;
}
