import process from 'node:process';
import { parseArgs } from 'node:util';
import { postgresPrograms, requirePrograms } from './lab/packages.mjs';
import { runSteps } from './lab/report.mjs';
import { sharedLimit } from './replicas/rate-limit.mjs';
import { killEach, restartEach } from './replicas/restarts.mjs';
import { revocations } from './replicas/revocation.mjs';
import { upgradeEach } from './replicas/upgrade.mjs';

// Shows what callers of three replicas of the built service behind HAProxy meet: under load each is
// killed, restarted, and replaced by a newer version. Nobody may lose more than the call that was
// under way at a killed replica, nor any acknowledged write; a restart and an upgrade nobody may
// notice. Revoked tokens and rate limits must hold at every replica.
//
//   node test/system/replicas.mjs [--short]
//
// It needs Debian's PostgreSQL, HAProxy and Redis, which it installs as root, git with the whole history,
// and uses no database but those it makes in temporary directories.

async function main() {
  const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
  requirePrograms({
    [`${postgresPrograms()}/postgres`]: 'postgresql',
    haproxy: 'haproxy',
    ps: 'procps',
    'redis-server': 'redis-server',
  });
  await runSteps({
    'kill -9': () => killEach({ kills: values.short ? 1 : 9 }),
    'rolling restart': () => restartEach({ restarts: values.short ? 1 : 3 }),
    'rolling upgrade': () => upgradeEach({ mayLackHistory: values.short }),
    revocation: () => revocations({ rounds: values.short ? 3 : 12 }),
    'rate limit': sharedLimit,
  });
}

main().catch((error) => {
  process.stderr.write(`replicas: ${error.message}\n`);
  process.exitCode = 1;
});
