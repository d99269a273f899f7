import console from 'node:console';
import { fillGroups } from '../test/system/rewrap/groups.mjs';
import { enter } from './contestants.mjs';
import { residentMiB } from './processes.mjs';
import { runRounds } from './rounds.mjs';

/**
 * The same load on databases of different sizes: `groups` of each are asked for, spread over all.
 * What a database is filled with goes past the service, in SQL, but each group has a token of its
 * own, made, hashed and encrypted by the service's code. It has no events of its creation.
 */
export async function grow(environment, options) {
  const { sizes, connections, groups } = options;
  const servers = {};
  const run = environment.startLoad();
  for (const size of sizes) {
    console.error(`filling: ${size} groups`);
    const { service } = await enter(environment, ['service'], { database: options.database });
    const migrating = await service.start();
    await migrating.stop();
    await fillGroups(service.database, size, 'k1');
    if (options.database === 'postgres') {
      await service.database.query('VACUUM ANALYZE');
      await service.database.query('CHECKPOINT');
    }
    const server = await service.start();
    server.turn = { stride: Math.floor(size / groups) };
    await run({ operation: 'learn', server, connections, groups, ...server.turn });
    servers[size] = server;
  }
  const rounds = await runRounds(run, servers, options);
  const processes = {};
  for (const size of sizes) processes[size] = { loadedMiB: residentMiB(servers[size].pid) };
  return { rounds, processes };
}
