import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marked } from '../support/api/pages.ts';

const canRunHaProxy = spawnSync('haproxy', ['-v']).status === 0;

(canRunHaProxy || process.env['CI'] ? test : test.skip)(
  'HAProxy starts with the settings of the page about replicas',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'user-groups-haproxy-'));
    const file = join(directory, 'haproxy.cfg');
    writeFileSync(file, `${marked('docs/operate/replicas-and-failover.md', 'haproxy')}\n`);
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
    rmSync(directory, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  },
);
