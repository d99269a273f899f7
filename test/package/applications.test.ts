import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createApplication, LIMIT_MS, requireOneNest, runCompiled } from './application.ts';

test('an application of ES modules compiles and runs, and has the command line', () => {
  const app = createApplication('module');
  requireOneNest(app);
  const { result, expected } = runCompiled(app);
  expect(result).toEqual(expected);

  const cli = (...args: string[]) => {
    const program = join(app, 'node_modules', '.bin', 'user-group-service');
    const env = { PATH: process.env['PATH'], DATA_DIR: join(app, 'data') };
    const { status, stdout } = spawnSync(program, args, {
      cwd: app,
      encoding: 'utf8',
      env,
      timeout: LIMIT_MS,
    });
    return { status, stdout };
  };
  expect(cli('token', 'create', '--name', 'a')).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^uga_\w{38}\n$/) as string,
  });
  expect(cli('token', 'list').stdout).toMatch(/^1 +a +\w{4} +active /m);
  expect(cli('token', 'show', '9').status).toBe(3);
});
