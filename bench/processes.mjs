import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in /proc/<pid>/stat: 100 on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** User and system time of all threads of a process; NaN where there is no /proc. */
export function cpuSeconds(pid) {
  try {
    const { user, system } = statOf(pid);
    return (user + system) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

/**
 * The same of every process of a PostgreSQL on this machine, those that have ended included; NaN
 * where there is none to be seen.
 */
export function databaseCpuSeconds() {
  try {
    const processes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          return [statOf(pid)];
        } catch {
          // It has ended in this moment.
          return [];
        }
      })
      .filter(({ command }) => command === 'postgres');
    if (processes.length === 0) return NaN;
    const ticks = processes.map(
      ({ user, system, childrenUser, childrenSystem }) =>
        user + system + childrenUser + childrenSystem,
    );
    return ticks.reduce((sum, count) => sum + count) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

/** Resident memory of a process in MiB; NaN where there is no /proc. */
export function residentMiB(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)[1]) / 1024;
  } catch {
    return NaN;
  }
}

/** The same, with its share of what it has together with others: the sum over processes counts nothing twice. */
export function sharedMiB(pid) {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)[1]) / 1024;
  } catch {
    return NaN;
  }
}

function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name of the command, in parentheses, may hold spaces.
  const end = stat.lastIndexOf(')');
  const fields = stat
    .slice(end + 2)
    .split(' ')
    .map(Number);
  const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15);
  const command = stat.slice(stat.indexOf('(') + 1, end);
  return { command, user, system, childrenUser, childrenSystem };
}
