/** What the reports, the documents and the charts read from what was measured. */

/** The median of a figure over all rounds. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of one figure of one server over the rounds of an operation it takes part in. */
export function figure(turns, server, name) {
  return median(turns.map((turn) => turn[server][name]));
}

/**
 * The median, and the smallest and largest ratio of a figure to that of another server, each taken
 * within a round, so that noise of the machine meets both sides.
 */
export function ratio(turns, server, base, name) {
  const all = turns.map((turn) => turn[server][name] / turn[base][name]);
  return { median: median(all), least: Math.min(...all), most: Math.max(...all) };
}

/** The least share of the speed before. */
const LEAST = 0.97;
/** In standard deviations: the median is within the interval in 99 of 100 cases, whatever the noise. */
const CONFIDENCE = 2.58;

/**
 * Tells of each operation whether the service is more than 3 % slower than before, in the median of the rounds, and
 * whether more rounds could hardly say something else: the confidence interval of the median is on one side of the limit.
 */
export function verdictOf(rounds) {
  return Object.entries(rounds).map(([operation, turns]) => {
    const ratios = turns.map(
      ({ service, before }) => service.requestsPerSecond / before.requestsPerSecond,
    );
    const sorted = ratios.toSorted((a, b) => a - b);
    const rank = Math.floor((sorted.length - CONFIDENCE * Math.sqrt(sorted.length)) / 2);
    const [low, high] = rank < 0 ? [0, Infinity] : [sorted[rank], sorted.at(-1 - rank)];
    const middle = median(ratios);
    return {
      operation,
      median: middle,
      low,
      high,
      isSlower: !(middle >= LEAST),
      isSettled: low >= LEAST || high < LEAST,
    };
  });
}

/** The most memory of a server at the end of any turn; undefined without a turn. */
export function mostMiB(rounds, server) {
  const turns = Object.values(rounds).flat();
  return turns.length === 0
    ? undefined
    : Math.max(...turns.map((turn) => turn[server]?.residentMiB ?? 0));
}

/** All that take part, in the order of their turns. */
export function serversIn(rounds) {
  const byOperation = Object.values(rounds).map(serversOf);
  return byOperation.reduce((most, servers) => (servers.length > most.length ? servers : most));
}

/** Those that take part in an operation. */
export function serversOf(turns) {
  return Object.keys(turns[0]);
}

/** All wrong answers, as the load described the first one of each turn. */
export function errorsIn({ rounds = {}, starvation = [] }) {
  const turns = [
    ...Object.values(rounds).flatMap((all) => all.flatMap((turn) => Object.values(turn))),
    ...starvation.flatMap(({ alone, beside, writers }) => [
      ...Object.values(alone),
      ...Object.values(beside),
      writers,
    ]),
  ];
  return turns.filter(({ errors }) => errors > 0).map(({ firstError }) => firstError);
}

export function errorCount(turns, server) {
  return turns.reduce((sum, turn) => sum + turn[server].errors, 0);
}

/** Rounded to so many digits after the point; a dash where nothing could be measured. */
export function text(value, digits = 0) {
  if (value === undefined || Number.isNaN(value)) return '–';
  return value.toFixed(digits);
}
