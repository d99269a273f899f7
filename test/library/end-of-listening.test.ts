import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserGroupEvents, UserGroupServiceModule } from '../../src/library/index.ts';
import { createTestDatabase, onEachDatabase } from '../support/databases.ts';
import { noteLog } from '../support/leaks.ts';

onEachDatabase((kind) => {
  test('an application that listened to events and has ended says nothing any more', async () => {
    const database = await createTestDatabase(kind);
    const lines: unknown[][] = [];
    const log = (...line: unknown[]) => {
      lines.push(line);
      noteLog(JSON.stringify(line));
    };
    const logger: LoggerService = { log, error: log, warn: log };
    const app = await NestFactory.createApplicationContext(
      UserGroupServiceModule.forRoot({
        databaseUrl: database.env['DATABASE_URL'],
        dataDir: database.env['DATA_DIR'],
        tokenEncryptionKeys: database.env['TOKEN_ENCRYPTION_KEYS'],
        http: false,
      }),
      { logger },
    );
    app.get(UserGroupEvents).listen({ name: 'test', hear: () => undefined });
    // The application closes between two looks at the change log.
    await sleep(400);
    await app.close();
    const said = lines.length;
    await sleep(600);
    expect(lines.slice(said)).toEqual([]);
    expect(JSON.stringify(lines)).not.toContain('cannot be read');
    await database.drop();
  });
});
