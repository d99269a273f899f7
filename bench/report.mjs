import console from 'node:console';

const NAMES = {
  limit: 'limit',
  textbook: 'textbook',
  service: 'service',
  sqlite: 'service on SQLite',
};

/**
 * Prints the medians of all rounds, and the ratios to the limit, each taken within a round, so that
 * noise meets both sides.
 */
export function printReport(rounds, processes) {
  const lines = [
    ['', '', 'req/s', 'ratio', '(min–max)', 'over textbook', 'p50 ms', 'p95', 'p99', 'p99 ratio'],
  ];
  const costs = [['', '', 'CPU µs/req', 'ratio', 'PostgreSQL µs/req', 'ratio']];
  for (const [operation, turns] of Object.entries(rounds)) {
    Object.keys(NAMES).forEach((subject, index) => {
      const head = [index === 0 ? operation : '', NAMES[subject]];
      lines.push([
        ...head,
        figure(turns, subject, 'requestsPerSecond', 0),
        ...ratios(turns, subject, 'limit', 'requestsPerSecond'),
        ratios(turns, subject, 'textbook', 'requestsPerSecond')[0],
        figure(turns, subject, 'p50Milliseconds', 1),
        figure(turns, subject, 'p95Milliseconds', 1),
        figure(turns, subject, 'p99Milliseconds', 1),
        ratios(turns, subject, 'limit', 'p99Milliseconds')[0],
      ]);
      costs.push([
        ...head,
        figure(turns, subject, 'cpuMicroseconds', 0),
        ratios(turns, subject, 'limit', 'cpuMicroseconds')[0],
        figure(turns, subject, 'databaseCpuMicroseconds', 0),
        ratios(turns, subject, 'limit', 'databaseCpuMicroseconds')[0],
      ]);
    });
  }
  printTable(lines);
  console.log('\nRatios are to the limit, of the same round; p99 ratio likewise.\n');
  printTable(costs);
  console.log();
  printTable([
    ['', '', 'start ms', 'idle MiB', 'after load MiB'],
    ...Object.entries(processes).map(([name, { startMilliseconds, idleMiB, loadedMiB }]) => [
      '',
      NAMES[name],
      ...[startMilliseconds, idleMiB, loadedMiB].map((value) => text(value, 0)),
    ]),
  ]);
}

function figure(turns, subject, name, digits) {
  return text(median(turns.map((turn) => turn[subject][name])), digits);
}

/** The median, and the smallest and largest ratio. */
function ratios(turns, subject, base, name) {
  if (subject === base) return ['', ''];
  const all = turns.map((turn) => turn[subject][name] / turn[base][name]);
  const range = `(${text(Math.min(...all), 2)}–${text(Math.max(...all), 2)})`;
  return [text(median(all), 2), range];
}

function text(value, digits) {
  return Number.isNaN(value) ? '–' : value.toFixed(digits);
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
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
