// A process of an application that handles events: it writes each batch as a line, handles none to its end before it
// reads a line, and ends with the process that has started it.
import { NestFactory } from '@nestjs/core';
import { once } from 'node:events';
import process from 'node:process';
import { UserGroupEvents, UserGroupServiceModule } from '../../../dist/src/server/library/index.js';

const { DATABASE_URL, DATA_DIR, TOKEN_ENCRYPTION_KEYS, LEASE_SECONDS } = process.env;

const say = (line) => process.stdout.write(`${JSON.stringify({ pid: process.pid, ...line })}\n`);
const app = await NestFactory.createApplicationContext(
  UserGroupServiceModule.forRoot({
    databaseUrl: DATABASE_URL,
    dataDir: DATA_DIR,
    tokenEncryptionKeys: TOKEN_ENCRYPTION_KEYS,
    webhookDelivery: false,
    http: false,
  }),
  { logger: false },
);
const mayFinish = once(process.stdin, 'data');
await app.get(UserGroupEvents).subscribe({
  name: 'killed',
  types: ['user_group.create'],
  leaseSeconds: Number(LEASE_SECONDS),
  handle: async (events) => {
    const ids = events.map(({ user_group: group }) => group.provided_id);
    say({ begun: Date.now(), ids });
    await mayFinish;
  },
});
say({ subscribed: true });
process.stdin.resume().on('end', () => process.exit());
