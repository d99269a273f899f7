import console from 'node:console';
import { randomBytes, randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { ensureBaseImages } from './container/base-images.mjs';
import { checkConformanceKit } from './container/conformance-kit.mjs';
import { checkExtension } from './container/extension.mjs';
import { findEngine, output } from './container/engine.mjs';
import { checkFirstStart } from './container/compose.mjs';
import { checkImage, checkSecrets } from './container/image.mjs';
import { checkMigrationJob } from './container/migration-job.mjs';
import { Report } from './container/report.mjs';
import { checkEarlyEnd, checkRunning } from './container/running.mjs';

// Builds the images of the service and of the conformance kit, and shows what docs/operate/containers.md and the README of
// the kit promise of them, by running them: with Docker where its engine answers, else with buildah and podman, for which it
// has to be root on Debian. The first run without Docker also makes stand-ins for the base images, which takes some minutes more.
//
//   node test/system/container.mjs [--short] [--only service|kit]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database and a role of its own may be created.

const LOAD_SECONDS = 60;
const SHORT_LOAD_SECONDS = 8;
const TAG = 'localhost/user-group-service:test';
const KIT_TAG = 'localhost/user-group-service-conformance:test';
const KIT = 'clients/conformance';

async function main() {
  const { values } = parseArgs({
    options: { short: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
  });
  const engine = await findEngine();
  const report = new Report();
  if (values.only !== 'kit') {
    await checkService(report, engine, values.short ? SHORT_LOAD_SECONDS : LOAD_SECONDS);
  }
  if (values.only !== 'service') await checkKit(report, engine);
  return report;
}

async function checkService(report, engine, loadSeconds) {
  const secrets = [];
  const volumes = Object.fromEntries(
    ['data', 'plugin-data', 'database-secrets', 'owner-secrets', 'api-secrets'].map((name) => [
      name,
      `user-groups-test-${name}-${randomUUID()}`,
    ]),
  );
  try {
    await report.check('build', () => build(engine, TAG, '.', secrets));
    if (report.failures > 0) return;
    await checkRunning(report, engine, TAG, { volume: volumes.data, loadSeconds, secrets });
    await checkEarlyEnd(report, engine, TAG);
    await checkFirstStart(report, engine, TAG, { volumes, secrets });
    await checkMigrationJob(report, engine, TAG);
    await checkExtension(report, engine, TAG, volumes['plugin-data']);
    await checkImage(report, engine, TAG, secrets);
  } finally {
    await engine.run(['volume', 'rm', '--force', ...Object.values(volumes)]);
  }
}

async function checkKit(report, engine) {
  const secrets = [];
  const { failures } = report;
  await report.check('kit: build', () => build(engine, KIT_TAG, KIT, secrets));
  if (report.failures > failures) return;
  await checkConformanceKit(report, engine, KIT_TAG);
  await report.check('kit: no secret in a layer', () => checkSecrets(engine, KIT_TAG, secrets));
}

/** Builds a folder of a copy of what git knows, with secrets of a developer in it. */
async function build(engine, tag, folder, secrets) {
  const base = await ensureBaseImages(engine);
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-build-'));
  try {
    const files = await output('git', ['ls-files', '--cached', '--others', '--exclude-standard']);
    for (const file of files.split('\n')) {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      cpSync(file, join(directory, file));
    }
    for (const file of ['.env', '.npmrc', 'data/bootstrap-token', '.git/config', 'src.bak']) {
      const secret = randomBytes(24).toString('hex');
      const path = join(directory, folder, file);
      secrets.push(secret);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `# ${secret}\n`);
    }
    const started = Date.now();
    await engine.build(tag, join(directory, folder));
    return `${Math.round((Date.now() - started) / 1000)} s with ${engine.name}, ${base}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

main()
  .then(({ failures, unchecked }) => {
    const verdict = failures > 0 ? `${failures} FAILED` : 'all that was checked holds';
    console.log(`container: ${verdict}${unchecked > 0 ? `; ${unchecked} NOT CHECKED` : ''}`);
    if (failures > 0) process.exitCode = 1;
  })
  .catch((error) => {
    console.error(`container: FAILED: ${error.message || error.code}`);
    process.exitCode = 1;
  });
