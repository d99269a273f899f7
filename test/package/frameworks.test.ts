import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createApplication,
  node,
  npm,
  requireOneNest,
  root,
  runCompiled,
  TSCONFIG,
} from './application.ts';

test('an application of CommonJS compiles and runs', () => {
  const app = createApplication('commonjs');
  requireOneNest(app);
  const { result, expected } = runCompiled(app);
  expect(result).toEqual(expected);
});

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
});

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
  const report = node(
    app,
    'node_modules/jest/bin/jest.js',
    '--config',
    'jest.config.json',
    '--json',
  );
  expect(JSON.parse(report)).toMatchObject({ numPassedTests: 1, success: true });
});

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

  const check = spawnSync(
    process.execPath,
    [join(root, 'dist', 'src', 'cli.js'), 'config', 'check'],
    {
      cwd: app,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], PLUGINS: './dist/src/plugin.js' },
    },
  );
  expect(check.stdout).toContain('Plugins: home-dashboards.');
});
