import process from 'node:process';
import { parseArgs } from 'node:util';
import { postgresPrograms, requirePrograms } from './lab/packages.mjs';
import { runSteps } from './lab/report.mjs';
import { failover } from './outages/failover.mjs';
import { everyTableLocked, outages } from './outages/outages.mjs';
import { pooled, pooledAlone } from './outages/pooled.mjs';

// Shows what callers of the built service meet while its PostgreSQL is away: the database is
// stopped, killed, halted, exhausted or locked under load, and a standby takes over. Every answer
// must be a success or a 503 in time, every acknowledged write must be there at the end, and the
// service must go on by itself as soon as the database does.
//
//   node test/system/outages.mjs [--short | --only "every table locked"]
//
// It needs Debian's PostgreSQL, HAProxy and PgBouncer, which it installs as root, and uses no
// database but those it makes in temporary directories.

const SHORT = ['stop', 'halt', 'every table locked', 'failover'];
const LOCKED_ROUNDS = { short: 2, long: 8 };

async function main() {
  const { values } = parseArgs({
    options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
  });
  requirePrograms({
    [`${postgresPrograms()}/postgres`]: 'postgresql',
    haproxy: 'haproxy',
    pgbouncer: 'pgbouncer',
    ps: 'procps',
  });
  const rounds = LOCKED_ROUNDS[values.short ? 'short' : 'long'];
  const steps = {
    ...outages,
    'every table locked': everyTableLocked(rounds),
    failover,
    PgBouncer: pooled,
    'PgBouncer alone': pooledAlone,
  };
  const names = values.only ? [values.only] : values.short ? SHORT : Object.keys(steps);
  const chosen = Object.entries(steps).filter(([name]) => names.includes(name));
  await runSteps(Object.fromEntries(chosen));
}

main().catch((error) => {
  process.stderr.write(`outages: ${error.message}\n`);
  process.exitCode = 1;
});
