import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { URL } from 'node:url';
import pg from 'pg';
import { parse } from 'yaml';
import { keyList } from '../lab/keys.mjs';
import { must, NotChecked } from './report.mjs';
import { Service } from './service.mjs';

const KEYS = keyList('k1');

/**
 * Runs the container of the Job as the owner of a new database, then the
 * service as a role that owns nothing, and issues the first API token as docs/operate/kubernetes.md says.
 */
export async function checkMigrationJob(report, engine, tag) {
  await report.check('migration Job and a role that owns nothing', async () => {
    const admin = process.env.TEST_DATABASE_URL;
    if (!admin) throw new NotChecked('TEST_DATABASE_URL is not set');
    const name = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
    const owner = withParts(admin, { pathname: `/${name}` });
    const url = withParts(owner, { username: name, password: name });
    await query(admin, `CREATE DATABASE ${name}`);
    try {
      await query(admin, `CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
      await runJob(engine, tag, owner, name);
      return await serve(engine, tag, url);
    } finally {
      await query(admin, `DROP DATABASE ${name} WITH (FORCE)`);
      await query(admin, `DROP ROLE IF EXISTS ${name}`);
    }
  });
}

async function runJob(engine, tag, owner, role) {
  const { spec } = parse(readFileSync('deploy/kustomize/migrate/job.yaml', 'utf8')).spec.template;
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-owner-'));
  try {
    writeFileSync(join(directory, 'database-url'), owner, { mode: 0o444 });
    chmodSync(directory, 0o755);
    const [{ command, env, volumeMounts }] = spec.containers;
    const variables = env.flatMap(({ name, value }) => ['--env', `${name}=${value}`]);
    const mount = ['--volume', `${directory}:${volumeMounts[0].mountPath}:ro`];
    const options = ['--rm', '--network', 'host', ...engine.confinement, ...variables, ...mount];
    const words = command.map((word) => word.replace('user_groups_service', role));
    await engine.output(['run', ...options, tag, ...words]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function serve(engine, tag, url) {
  const env = { DATABASE_URL: url, TOKEN_ENCRYPTION_KEYS: KEYS };
  const service = new Service(engine, tag, { env });
  try {
    await service.start();
    const token = await service.exec(
      'user-group-service',
      'token',
      'create',
      '--name',
      'a',
      '--scopes',
      'all',
    );
    const body = { user_group_id: 'g', name: 'G' };
    const { status } = await service.call('GET', '/api/user', { token, body });
    must(status === 200, `GET answers ${status}`);
    await query(url, 'DROP TABLE user_group').then(
      () => Promise.reject(new Error('the role can drop a table')),
      ({ code }) => must(code === '42501', `DROP TABLE is refused with ${code}`),
    );
    const { code } = await service.stop();
    must(code === 0, `it ends with ${code}`);
    return 'the service starts on it, issues the first API token, serves, and cannot drop a table';
  } finally {
    await service.remove();
  }
}

function withParts(url, parts) {
  return Object.assign(new URL(url), parts).href;
}

async function query(connectionString, sql) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
