import { once } from 'node:events';
import { TEST_KEYS } from '../support/databases';
import { spawnBuilt } from '../support/processes';

const env = {
  // Nothing listens there, so the start waits for 15 seconds.
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
  TOKEN_ENCRYPTION_KEYS: TEST_KEYS,
};

// Without a handler the signal would not reach process 1 of a container; with the signal's own end
// `code` would be null.
test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends a start that waits for its database with %i', async (signal, code) => {
  const server = spawnBuilt('main.js', { ...env, PORT: '0', METRICS_PORT: '0' });
  await once(server.stdout, 'data');
  server.kill(signal);
  expect(await once(server, 'exit')).toEqual([code, null]);
});

test('SIGTERM ends a command that waits for its database with 143', async () => {
  const command = spawnBuilt('cli.js', env, 'migration', 'run');
  // It says nothing while it waits.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  command.kill('SIGTERM');
  expect(await once(command, 'exit')).toEqual([143, null]);
});
