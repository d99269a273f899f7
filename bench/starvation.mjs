import console from 'node:console';
import { runCli } from '../test/system/lab/command.mjs';
import { enter } from './contestants.mjs';

const WRITERS = 400;
const CALLERS = 4;
const SETTLE_SECONDS = 1;

/**
 * What a few callers of one workspace are kept waiting by 400 parallel writers of one group in
 * another: their look-ups and writes alone, then beside them, in turn.
 */
export async function starve(environment, options) {
  const { rounds, seconds } = options;
  const { service } = await enter(environment, ['service'], options);
  const server = await service.start();
  const other = { ...server, apiToken: await createTenant(service.database) };
  const [lookUp, write, writeMany] = [0, 0, 0].map(() => environment.startLoad());
  const groups = CALLERS;
  await lookUp({ operation: 'fill', server: other, connections: CALLERS, groups });
  const measure = async (duration) => {
    const turn = { server: other, connections: CALLERS, groups, seconds: duration };
    const [lookUps, writes] = await Promise.all([
      lookUp({ ...turn, operation: 'look-up' }),
      write({ ...turn, operation: 'write' }),
    ]);
    return { lookUps, writes };
  };
  const turns = [];
  for (let round = 0; round <= rounds; round++) {
    console.error(`starvation, round ${round} of ${rounds}`);
    const alone = await measure(seconds);
    const writing = writeMany({
      operation: 'write',
      server,
      shared: 'contended',
      connections: WRITERS,
      seconds: seconds + 2 * SETTLE_SECONDS,
    });
    await measure(SETTLE_SECONDS);
    const beside = await measure(seconds);
    const writers = await writing;
    if (round > 0) turns.push({ alone, beside, writers });
  }
  return { starvation: turns };
}

/** Makes another workspace; gives an API token of it. */
async function createTenant(database) {
  await runCli(database, 'workspace', 'create', 'other');
  const printed = await runCli(
    database,
    'token',
    'create',
    '--workspace',
    'other',
    '--name',
    'bench',
    '--scopes',
    'all',
  );
  return /\buga_\w+/.exec(printed)[0];
}
