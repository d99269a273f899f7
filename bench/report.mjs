import console from 'node:console';

/** Prints the medians of all rounds; a ratio is taken within a round, so that noise meets both sides. */
export function printReport(rounds) {
  const lines = [['', '', 'req/s', 'ratio', '(min–max)', 'CPU µs/req', 'ratio', '(min–max)']];
  for (const [operation, turns] of Object.entries(rounds)) {
    lines.push(row(operation, 'limit', turns, 'limit'));
    lines.push(row('', 'service', turns, 'service', 'limit'));
    lines.push(row('', 'service on SQLite', turns, 'sqlite', 'service'));
  }
  printTable(lines);
  console.log(
    '\nThe ratios of the service are to the limit, those on SQLite to the service on PostgreSQL.',
  );
  console.log('CPU is of the server process alone.');
}

function row(operation, label, turns, subject, base) {
  const cells = ['requestsPerSecond', 'cpuMicroseconds'].flatMap((figure) => {
    const ratios = base ? turns.map((turn) => turn[subject][figure] / turn[base][figure]) : [];
    return [median(turns.map((turn) => turn[subject][figure])).toFixed(0), ...spread(ratios)];
  });
  return [operation, label, ...cells.map((cell) => cell.replace(/NaN.*/, '–'))];
}

function spread(ratios) {
  if (ratios.length === 0) return ['', ''];
  const range = `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
  return [median(ratios).toFixed(2), range];
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
