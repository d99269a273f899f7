import console from 'node:console';
import { NAMES } from './names.mjs';
import {
  errorCount,
  errorsIn,
  figure,
  median,
  mostMiB,
  ratio,
  serversIn,
  serversOf,
  text,
} from './summary.mjs';

/** The columns of ratios. */
const SHORT = { limit: '× bare', memory: '× memory', textbook: '× textbook', before: '× before' };

/** Prints the medians of what was measured. */
export function printReport(name, result) {
  const { machine, options } = result;
  console.log(
    `\n${name}: Node.js ${machine.node}, PostgreSQL ${machine.postgres}, ${machine.cores} cores, ` +
      `load average ${machine.loadAverage.toFixed(1)}, ${options.rounds} rounds of ${options.seconds} s, ` +
      `${options.connections} connections, ${options.groups} groups\n`,
  );
  if (Object.keys(result.rounds ?? {}).length > 0) printRounds(result.rounds);
  if (result.processes) printProcesses(result);
  if (result.imports) printImports(result.imports);
  if (result.starvation) printStarvation(result.starvation);
  for (const error of errorsIn(result).slice(0, 3)) console.log(error);
}

function printRounds(rounds) {
  const servers = serversIn(rounds);
  // Where only the size of the database differs, the smallest.
  const [smallest] = servers.filter((name) => !NAMES.servers[name]);
  const bases = ['limit', 'memory', 'textbook', 'before', smallest].filter((base) =>
    servers.includes(base),
  );
  const head = bases.flatMap((base) => [`to ${NAMES.servers[base] ?? base}`, '(min–max)']);
  const lines = [['', '', 'req/s', ...head, 'p50 ms', 'p95', 'p99']];
  for (const name of ['p50', 'p99']) {
    lines[0].push(...bases.map((base) => `${name} ${SHORT[base] ?? `× ${base}`}`));
  }
  lines[0].push('errors');
  const costs = [['', '', 'CPU µs/req', 'PostgreSQL µs/req']];
  for (const [operation, turns] of Object.entries(rounds)) {
    for (const server of serversOf(turns)) {
      const names = [server === servers[0] ? operation : '', NAMES.servers[server] ?? server];
      const figureOf = (key, digits) => text(figure(turns, server, key), digits);
      const against = ['p50Milliseconds', 'p99Milliseconds'].flatMap((key) =>
        bases.map((base) => ratioText(turns, server, base, key)[0]),
      );
      lines.push([
        ...names,
        figureOf('requestsPerSecond'),
        ...bases.flatMap((base) => ratioText(turns, server, base, 'requestsPerSecond')),
        figureOf('p50Milliseconds', 2),
        figureOf('p95Milliseconds', 2),
        figureOf('p99Milliseconds', 2),
        ...against,
        String(errorCount(turns, server)),
      ]);
      costs.push([...names, figureOf('cpuMicroseconds'), figureOf('databaseCpuMicroseconds')]);
    }
  }
  printTable(lines);
  console.log('\nRatios are medians of those within a round.\n');
  printTable(costs);
}

function ratioText(turns, server, base, name) {
  if (server === base || !serversOf(turns).includes(base)) return ['', ''];
  const { median: middle, least, most } = ratio(turns, server, base, name);
  return [text(middle, 2), `(${text(least, 2)}–${text(most, 2)})`];
}

function printProcesses({ processes, rounds }) {
  console.log();
  printTable([
    ['', '', 'start ms', 'idle MiB', 'most MiB', 'after load MiB'],
    ...Object.entries(processes).map(([name, { starts, loadedMiB }]) => [
      '',
      NAMES.servers[name] ?? name,
      text(starts && median(starts.map(({ startMilliseconds }) => startMilliseconds))),
      text(starts && median(starts.map(({ idleMiB }) => idleMiB))),
      text(mostMiB(rounds, name)),
      text(loadedMiB),
    ]),
  ]);
}

function printImports(imports) {
  const lines = [['', '', 'seconds', 'peak MiB after so many groups']];
  for (const [database, byServer] of Object.entries(imports)) {
    for (const [name, { seconds, peaks }] of Object.entries(byServer)) {
      const memory = peaks.map(({ groups, peakMiB }) => `${groups}: ${text(peakMiB)}`).join(', ');
      lines.push([database, NAMES.servers[name], text(seconds, 1), memory]);
    }
  }
  printTable(lines);
}

function printStarvation(turns) {
  const lines = [['', '', 'req/s', 'p50 ms', 'p99 ms', 'p99 to alone', '(min–max)', 'errors']];
  for (const kind of ['lookUps', 'writes']) {
    for (const state of ['alone', 'beside']) {
      const measured = turns.map((turn) => turn[state]);
      lines.push([
        kind === 'lookUps' ? 'look-ups' : 'writes',
        state === 'alone' ? 'alone' : 'beside 400 writers',
        text(figure(measured, kind, 'requestsPerSecond')),
        text(figure(measured, kind, 'p50Milliseconds'), 2),
        text(figure(measured, kind, 'p99Milliseconds'), 2),
        ...(state === 'alone' ? ['', ''] : slowdown(turns, kind)),
        String(errorCount(measured, kind)),
      ]);
    }
  }
  const writers = turns.map(({ writers }) => ({ writers }));
  lines.push([
    'the 400 writers',
    '',
    text(figure(writers, 'writers', 'requestsPerSecond')),
    text(figure(writers, 'writers', 'p50Milliseconds'), 2),
    text(figure(writers, 'writers', 'p99Milliseconds'), 2),
    '',
    '',
    String(errorCount(writers, 'writers')),
  ]);
  printTable(lines);
}

function slowdown(turns, kind) {
  const sides = turns.map(({ alone, beside }) => ({ alone: alone[kind], beside: beside[kind] }));
  return ratioText(sides, 'beside', 'alone', 'p99Milliseconds');
}

function printTable(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
    console.log(cells.join('  ').trimEnd());
  }
}
