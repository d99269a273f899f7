import console from 'node:console';
import { NAMES } from './names.mjs';

/**
 * Runs each operation on all servers in turn, round after round, so that noise of the machine meets
 * all of them. Their order is turned around in every other round, so that none always follows the same one.
 * Gives, by operation, one object for each round with what was measured by server.
 * @param servers by name; what a server has under `turn` is added to its turns, and it takes part in
 *   its `operations`, by default all
 */
export async function runRounds(run, servers, options) {
  const { rounds, seconds, connections, groups, client } = options;
  const measured = {};
  for (const operation of operationsOf(options)) {
    measured[operation] = [];
    // The first turn of each is not counted: its code is compiled and its statements are prepared.
    for (let round = 0; round <= rounds; round++) {
      console.error(`${operation}, round ${round} of ${rounds}`);
      const taking = Object.entries(servers).filter(
        ([, server]) => server.operations?.includes(operation) ?? true,
      );
      const turns = Object.fromEntries(taking.map(([name]) => [name, undefined]));
      for (const [name, server] of round % 2 === 0 ? taking : taking.toReversed()) {
        const turn = { operation, server, seconds, connections, groups, client, ...server.turn };
        turns[name] = await run(turn);
      }
      if (round > 0) measured[operation].push(turns);
    }
  }
  return measured;
}

/** The operations among the rows that were asked for, by default all calls. */
function operationsOf({ rows }) {
  return Object.keys(NAMES.operations).filter(
    (operation) => rows?.includes(operation) ?? operation !== 'import',
  );
}
