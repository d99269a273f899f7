import { NAMES } from './names.mjs';
import { figure, median, text } from './summary.mjs';
import { number, ratioOf, table } from './tables.mjs';

const TABLES = ['user_group', 'user_group_token', 'data_source_mapping', 'audit_event'];

/** The calls of many connections, the reads of one caller, and what a process and its database take. */
export function scaleTable({ rounds, reads, searches, processes, options, machine, revisions }) {
  const { sizes } = options;
  const [least, most] = [sizes[0], sizes.at(-1)].map(String);
  const single = (name, unit, digits, of) => [
    name,
    ...sizes.map((size) => `${text(of(size), digits)} ${unit}`),
    text(of(most) / of(least), 2),
  ];
  const search = (filter, name) => [
    name,
    ...sizes.map(
      (size) =>
        `${number(searches[size][filter].calls)} ${searches[size][filter].calls === 1 ? 'call' : 'calls'}, ${text(searches[size][filter].seconds, 2)} s`,
    ),
    text(searches[most][filter].seconds / searches[least][filter].seconds, 2),
  ];
  return [
    table([
      [
        '',
        ...sizes.map((size) => `${number(size)} groups`),
        `${number(sizes.at(-1))} to ${number(sizes[0])}`,
      ],
      ...Object.entries(rounds).map(([operation, turns]) => [
        NAMES.operations[operation],
        ...sizes.map((size) => `${number(figure(turns, size, 'requestsPerSecond'))} a second`),
        ratioOf(turns, most, least, 'requestsPerSecond'),
      ]),
      ...Object.entries(reads)
        .filter(isShown)
        .map(([name, turns]) => [
          name,
          ...sizes.map((size) => `${text(figure(turns, size, 'milliseconds'), 1)} ms`),
          ratioOf(turns, most, least, 'milliseconds'),
        ]),
      search('search', 'the newest group, by `search`'),
      search('name_prefix', 'the same, by `name_prefix`'),
      single('start to first response', 's', 2, (size) => median(startsOf(processes[size])) / 1000),
      single('memory of the service', 'MiB', 0, (size) => processes[size].loadedMiB),
      single(
        'memory of its connections in PostgreSQL',
        'MiB',
        0,
        (size) => processes[size].databaseMiB,
      ),
    ]),
    `\n${machine.date.slice(0, 10)}; ${machine.cpu}, ${machine.cores} cores; PostgreSQL ${machine.postgres.split(' ')[0]}, `,
    `\`shared_buffers=${machine.sharedBuffers}\`; revision \`${revisions.service}\`. Medians of ${options.rounds} rounds in turn `,
    `(least–most); ${options.connections} connections for the figures a second, one for those in milliseconds.\n`,
  ].join('');
}

/** Most lists take as long as these, whatever they filter by; the JSON has all. */
function isShown([name]) {
  return [
    'one group',
    'list, first page',
    'list, a prefix of the name',
    'list, with the count of all',
  ].includes(name);
}

function startsOf({ starts }) {
  return starts.map(({ startMilliseconds }) => startMilliseconds);
}

/** What one group takes on the disk, of the largest database. */
export function sizesTable({ tables, options }) {
  const size = options.sizes.at(-1);
  const bytesOf = (name) => tables[size].find((one) => one.name === name).bytes / size;
  return table([
    ['Table', 'Bytes for each group, with its indexes'],
    ...TABLES.map((name) => [`\`${name}\``, number(bytesOf(name))]),
  ]);
}
