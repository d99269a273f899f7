import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { TEST_KEYS } from '../support/database/databases.ts';
import { spawnBuilt } from '../support/process/processes.ts';

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
  const said = textOf(server.stderr);
  server.kill(signal);
  expect(await once(server, 'exit')).toEqual([code, null]);
  expect(await said).toBe(`user-group-service: ended by ${signal}.\n`);
});

test('SIGTERM ends a command that waits for its database with 143', async () => {
  const command = spawnBuilt('cli.js', env, 'migration', 'run');
  const [said] = (await once(command.stderr, 'data')) as [Buffer];
  expect(said.toString()).toBe('waiting for PostgreSQL, reason ECONNREFUSED\n');
  command.kill('SIGTERM');
  expect(await once(command, 'exit')).toEqual([143, null]);
});

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
