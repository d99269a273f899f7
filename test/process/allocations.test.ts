import { join } from 'node:path';
import type { Answer } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  type DatabaseKind,
  onEachDatabase,
  withoutServerLimits,
} from '../support/database/databases.ts';
import { type RunningServer, startOwnServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';

const PRELOADED = join(import.meta.dirname, '..', 'support', 'process', 'record-allocations.mjs');
const CALLERS = 32;
/** For each of them, before anything is counted: until then much of the code is interpreted. */
const WARM_UP = 10;
const CALLS = 10;

/**
 * KiB of JavaScript heap that a call of each operation may allocate, its response included: half as much again as
 * it does. Unlike time this is the same on a slow or busy machine. If a change makes an operation cheaper, lower
 * its figure.
 */
const MAX_KIB: Record<DatabaseKind, Record<string, number>> = {
  postgres: { create: 185, 'look-up': 80, introspect: 80, rotate: 150 },
  sqlite: { create: 150, 'look-up': 80, introspect: 80, rotate: 120 },
};

onEachDatabase((kind) => {
  test('a call allocates no more memory than it does today', async () => {
    const database = await createTestDatabase(kind);
    const options = `--import ${PRELOADED}`;
    const server = await startOwnServer({
      ...withoutServerLimits(database.env),
      NODE_OPTIONS: options,
    });
    await run(server, WARM_UP, 'warm');
    const allocated = await run(server, CALLS, 'measured');
    await server.stop();
    await database.drop();
    for (const [operation, most] of Object.entries(MAX_KIB[kind])) {
      expect({ [operation]: allocated[operation]! < most, allocated }).toEqual({
        [operation]: true,
        allocated,
      });
    }
  });
});

/** KiB by operation, for one call. */
async function run(
  { api, process, output }: RunningServer,
  calls: number,
  name: string,
): Promise<Record<string, number>> {
  const groups = Array.from({ length: CALLERS * calls }, (_, number) => ({
    user_group_id: `${name} ${number}`,
    name: 'Allocated',
    properties: { seats: number },
  }));
  const tokens: string[] = [];
  const measure = async (call: (index: number) => Promise<Answer>) => {
    await allocatedSoFar();
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        for (let index = caller; index < groups.length; index += CALLERS) {
          expect((await call(index)).status).toBe(200);
        }
      }),
    );
    return (await allocatedSoFar()) / groups.length / 1024;
  };
  return {
    create: await measure(async (index) => {
      const answer = await api.get(groups[index]);
      tokens[index] = answer.body.user_group.token;
      return answer;
    }),
    'look-up': await measure((index) => api.get(groups[index])),
    introspect: await measure((index) =>
      api.call('POST', '/api/v1/introspect', { token: tokens[index] }),
    ),
    rotate: await measure((index) => api.post({ current_token: tokens[index] })),
  };

  async function allocatedSoFar(): Promise<number> {
    const before = output().length;
    const said = () => /allocated (\d+) bytes/.exec(output().slice(before))?.[1];
    process.kill('SIGWINCH');
    await until(() => said() !== undefined, output);
    return Number(said());
  }
}
