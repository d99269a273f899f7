import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';

/** Nest 12 is ESM only: its packages are compiled to CommonJS together with the TypeScript. */
const swc = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
    target: 'es2022',
  },
  module: { type: 'commonjs' },
};

const clientModules = ['clients/typescript', 'clients/cube']
  .flatMap((folder) => readdirSync(folder))
  .filter((name) => /^[\w-]+\.ts$/.test(name) && name !== 'index.ts')
  .map((name) => name.replace(/\.ts$/, ''));

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/jest/environment.mjs',
  // Each has a package.json that is a copy of the one here.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/lib/'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/browser/',
    '<rootDir>/test/examples/',
    '<rootDir>/test/generators/',
    '<rootDir>/test/package/',
    '<rootDir>/test/tools/',
    // What a real network and a real clock show needs a machine that does nothing else.
    ...(process.env.LONG_TESTS ? [] : ['\\.long\\.test\\.ts$']),
  ],
  // The clients are written for ES modules, where an import names the file that is compiled.
  moduleNameMapper: {
    // What plugins import, and how they import each other.
    '^user-group-service$': '<rootDir>/src/server/library/index.ts',
    '^@user-group-service/client$': '<rootDir>/clients/typescript/index.ts',
    '^(\\./(?:create-)?home-dashboard.*)\\.js$': '$1',
    [`^(\\./(?:${clientModules.join('|')}))\\.js$`]: '$1',
  },
  transform: { '^.+\\.[cm]?[jt]s$': ['@swc/jest', swc] },
  transformIgnorePatterns: ['node_modules/(?!(@nestjs|jose|oauth4webapi|openid-client)/)'],
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  reporters: ['default', '<rootDir>/test/support/jest/progress.mjs'],
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
  // More than there are cores: a test that waits for a process or a time leaves its core to another.
  // PostgreSQL wants some of them for itself.
  maxWorkers: Math.ceil(availableParallelism() * (process.env.TEST_DATABASE_URL ? 1.5 : 2.5)),
  // Ends a test that hangs. A busy machine holds up any test for a while, and commands install packages and compile them.
  testTimeout: 900_000,
  // On a busy machine, a worker that ends may take longer than the half second after which Jest reports one that hangs.
  workerGracefulExitTimeout: 30_000,
};
