import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { output } from './engine.mjs';
import { must } from './report.mjs';
import { Service } from './service.mjs';

const EXAMPLE = 'examples/extension-module';
const COMPILER = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const GROUP = { user_group_id: 'acme', name: 'Acme' };
const PATH = '/api/v1/home-dashboards/acme';

const UNCHECKED = {
  extends: './tsconfig.json',
  compilerOptions: { noCheck: true, types: [] },
  include: ['src'],
};

/** Makes an image of the service with the example's plugin, as its Dockerfile says, and calls what it adds. */
export async function checkExtension(report, engine, tag, volume) {
  await report.check('an image with a plugin', async () => {
    const extended = `${tag}-with-plugin`;
    await build(engine, extended, tag);
    const service = new Service(engine, extended, { args: ['--volume', `${volume}:/data`] });
    try {
      await service.start();
      const token = await service.exec('cat', '/data/bootstrap-token');
      const call = (method, path, body) => service.call(method, path, { token, body });
      await call('PUT', '/api/user', GROUP);
      must((await service.call('GET', PATH)).status === 401, 'its route is open');
      const chosen = await call('PUT', PATH, { dashboard: 'sales' });
      must(chosen.status === 200, `its route answers ${chosen.status}`);
      const { body } = await call('GET', PATH);
      must(body.dashboard === 'sales', `it has stored ${JSON.stringify(body)}`);
      const checked = await service.exec('user-group-service', 'config', 'check');
      must(checked.includes('Plugins: home-dashboards.'), checked);
      const { code } = await service.stop();
      must(code === 0, `it ends with ${code}`);
      return 'its route, its table and its scopes are there, on a read-only root file system';
    } finally {
      await service.remove();
    }
  });
}

async function build(engine, extended, tag) {
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-extension-'));
  try {
    cpSync(EXAMPLE, directory, { recursive: true });
    // Its types were judged where its package is installed.
    const project = join(directory, 'tsconfig.image.json');
    writeFileSync(project, JSON.stringify(UNCHECKED));
    await output(process.execPath, [COMPILER, '--project', project]);
    await engine.build(extended, directory, ['--build-arg', `SERVICE=${tag}`]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
