/**
 * Renders docs/operate/performance.md with its charts, and the tables of docs/operate/scaling.md, from the JSON of the
 * benchmark beside them. Prints the files, by path, as JSON; `npm run docs` writes them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { growthChart, throughputChart } from './chart.mjs';
import { NAMES } from './names.mjs';
import { scaleTable, sizesTable } from './scale-tables.mjs';
import { errorCount, figure, serversIn, text } from './summary.mjs';
import { number, ratioOf, table } from './tables.mjs';

/** Fewer say too little about the spread. */
const MIN_ROUNDS = 5;
const DOCS = join(import.meta.dirname, '..', 'docs', 'operate');
const results = Object.fromEntries(
  ['compare', 'alone', 'sqlite', 'import', 'growth', 'scale', 'starvation'].map((name) => [
    name,
    JSON.parse(readFileSync(join(DOCS, 'performance', `${name}.json`), 'utf8')),
  ]),
);

const parts = {
  summary: () => summaryTable(results.compare, results.alone, results.sqlite),
  machine: () => machine(results.compare),
  compare: () => ratioTable(results.compare),
  import: () => importText(results.import) + runOf(results.import),
  growth: () => growthTable(results.growth) + runOf(results.growth),
  starvation: () => starvationText(results.starvation) + runOf(results.starvation),
};

const scaleParts = {
  scale: () => scaleTable(results.scale),
  sizes: () => sizesTable(results.scale),
};

const files = {
  'docs/operate/performance.md': fill('performance.md', parts),
  'docs/operate/scaling.md': fill('scaling.md', scaleParts),
  'docs/operate/performance/throughput.svg': throughputChart(results.compare),
  'docs/operate/performance/growth.svg': growthChart(results.growth),
};

process.stdout.write(JSON.stringify(files));

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
function fill(page, rendered) {
  let document = readFileSync(join(DOCS, page), 'utf8');
  for (const [name, render] of Object.entries(rendered)) {
    const marked = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
    if (!marked.test(document)) throw new Error(`docs/operate/${page} has no mark ${name}`);
    document = document.replace(marked, (_all, begin, end) => `${begin}\n${render()}\n${end}`);
  }
  return document;
}

function machine({ machine: of, options, revisions }) {
  const facts = [
    `${of.date.slice(0, 10)}; ${of.cpu}, ${of.cores} cores, ${of.memoryGiB} GiB of memory, shared by the service, PostgreSQL and the client`,
    `Node.js ${of.node}; PostgreSQL ${of.postgres.split(' ')[0]}, \`synchronous_commit=${of.synchronousCommit}\`, \`fsync=${of.fsync}\`${of.sharedBuffers ? `, \`shared_buffers=${of.sharedBuffers}\`` : ''}, otherwise as Debian sets it up`,
    `${number(options.groups)} groups, ${options.connections} connections, medians of ${options.rounds} rounds of ${options.seconds} s, in each of which every contestant has its turn`,
    `load average of the machine before the run: ${text(of.loadAverage, 1)}`,
    ...(options.rounds < MIN_ROUNDS ? ['**a trial run: too short to say anything**'] : []),
    `the revisions compared: this service \`${revisions.service}\`${revisions.before ? `, before \`${revisions.before}\`` : ''}`,
  ];
  return facts.map((fact) => `- ${fact}\n`).join('');
}

/** Says so where a part is of another day, machine or revision than the first: then their figures do not compare. */
function runOf(result) {
  const [its, first] = [result, results.compare].map(
    ({ machine: { date, cpu, cores }, revisions }) =>
      `${date.slice(0, 10)}; ${cpu}, ${cores} cores; revision \`${revisions.service}\``,
  );
  return its === first ? '' : `\nOf another run: ${its}.\n`;
}

/** One row for each operation, of the service alone: what somebody needs who only wants to know whether it is fast enough. */
function summaryTable(busy, alone, sqlite) {
  const lines = [
    [
      'One process',
      'PostgreSQL, requests a second',
      'p99 then, ms',
      'one caller alone, p50 ms',
      'SQLite, requests a second',
    ],
  ];
  for (const [operation, name] of Object.entries(NAMES.short)) {
    const of = ({ rounds }, wanted, digits) => {
      const turns = rounds[operation];
      if (turns === undefined) return '–';
      const value = figure(turns, 'service', wanted);
      return digits === undefined ? number(value) : text(value, digits);
    };
    lines.push([
      name,
      of(busy, 'requestsPerSecond'),
      of(busy, 'p99Milliseconds', 1),
      of(alone, 'p50Milliseconds', 2),
      of(sqlite, 'requestsPerSecond'),
    ]);
  }
  return table(lines);
}

/** The service against the others: one row for each operation. */
function ratioTable({ rounds }) {
  const bases = serversIn(rounds).filter((server) => server !== 'service');
  const lines = [
    [
      '',
      'requests a second',
      ...bases.map((base) => `to ${NAMES.servers[base]}`),
      'p50 ms',
      'p95 ms',
      'p99 ms',
      'wrong responses',
    ],
  ];
  for (const [operation, turns] of Object.entries(rounds)) {
    lines.push([
      NAMES.operations[operation],
      number(figure(turns, 'service', 'requestsPerSecond')),
      ...bases.map((base) => ratioOf(turns, 'service', base, 'requestsPerSecond')),
      text(figure(turns, 'service', 'p50Milliseconds'), 2),
      text(figure(turns, 'service', 'p95Milliseconds'), 2),
      text(figure(turns, 'service', 'p99Milliseconds'), 2),
      String(errorCount(turns, 'service')),
    ]);
  }
  return table(lines);
}

function importText({ imports }) {
  const sentences = Object.entries(imports).map(([database, { service }]) => {
    const { seconds, peaks } = service;
    const { groups, peakMiB } = peaks.at(-1);
    const name = database === 'sqlite' ? 'SQLite' : 'PostgreSQL';
    return `${name} takes ${number(groups / seconds)} groups a second, and the process ${text(peakMiB)} MiB at most.`;
  });
  return `${sentences.join(' ')}\n`;
}

function growthTable({ rounds, options, processes }) {
  const [least, most] = [options.sizes[0], options.sizes.at(-1)];
  const ends = [least, most];
  const lines = [
    [
      '',
      ...ends.map((size) => `${number(size)} groups: requests a second`),
      `${number(most)} to ${number(least)}`,
    ],
  ];
  for (const [operation, turns] of Object.entries(rounds)) {
    lines.push([
      NAMES.operations[operation],
      ...ends.map((size) => number(figure(turns, size, 'requestsPerSecond'))),
      ratioOf(turns, String(most), String(least), 'requestsPerSecond'),
    ]);
  }
  lines.push([
    'memory after the load',
    ...ends.map((size) => `${text(processes[size].loadedMiB)} MiB`),
    '',
  ]);
  return table(lines);
}

function starvationText({ starvation }) {
  const kinds = { lookUps: 'look-up', writes: 'write' };
  const sentences = Object.entries(kinds).map(([kind, name]) => {
    const sides = starvation.map(({ alone, beside }) => ({
      alone: alone[kind],
      beside: beside[kind],
    }));
    const [before, meanwhile] = ['alone', 'beside'].map((side) =>
      text(figure(sides, side, 'p99Milliseconds'), 1),
    );
    return `A ${name} then took ${meanwhile} ms in place of ${before} (p99).`;
  });
  return `${sentences.join(' ')}\n`;
}
