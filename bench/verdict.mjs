import console from 'node:console';
import { compare } from './compare.mjs';
import { NAMES } from './names.mjs';
import { text, verdictOf } from './summary.mjs';

const OPERATIONS = ['look-up', 'create', 'rotate', 'introspect', 'import'];
/** Even, so that each side goes first as often as the other. */
const ROUNDS_OF_A_PROCESS = 4;

/**
 * Measures the service beside an older revision of itself, in pairs of turns, until the verdict is settled or `rounds`
 * are over. New processes with new databases begin every few rounds: one process can be slower than another of its build.
 */
export async function judge(environment, options) {
  let rows = options.rows ?? OPERATIONS;
  const rounds = Object.fromEntries(rows.map((operation) => [operation, []]));
  for (let done = 0; done < options.rounds && rows.length > 0; done += ROUNDS_OF_A_PROCESS) {
    const part = environment.part();
    try {
      const pair = {
        ...options,
        rows,
        servers: ['service', 'before'],
        rounds: ROUNDS_OF_A_PROCESS,
      };
      const measured = await Promise.race([compare(part, pair), part.failure, environment.failure]);
      for (const operation of rows) rounds[operation].push(...measured.rounds[operation]);
    } finally {
      await part.close();
    }
    const open = verdictOf(rounds).filter(({ isSettled }) => !isSettled);
    rows = open.map(({ operation }) => operation);
    for (const { operation, median } of open) {
      console.error(
        `after ${rounds[operation].length} rounds: ${operation} ${text(median, 3)}, not settled`,
      );
    }
  }
  return { rounds };
}

/** Prints the verdict. @throws Error that names what is slower */
export function requireSpeed({ rounds, revisions }) {
  const verdict = verdictOf(rounds);
  console.log(
    `\n${revisions.service} to ${revisions.before}, medians of pairs (with their confidence interval):`,
  );
  for (const { operation, median, low, high, isSlower, isSettled } of verdict) {
    const interval = `(${text(low, 3)}–${text(high, 3)}, ${rounds[operation].length} rounds${isSettled ? '' : ', not settled'})`;
    console.log(
      `${isSlower ? 'SLOWER' : 'ok    '} ${text(median, 3)} ${interval} ${NAMES.operations[operation]}`,
    );
  }
  const slower = verdict.filter(({ isSlower }) => isSlower).map(({ operation }) => operation);
  if (slower.length > 0) {
    throw new Error(`More than 3 % slower than ${revisions.before}: ${slower.join(', ')}.`);
  }
}
