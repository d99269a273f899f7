import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ChangeReader } from '../../src/core/change-log/change-reader.ts';
import { UserGroupEvents, UserGroupServiceModule } from '../../src/server/library/index.ts';
import { createTestDatabase, onEachDatabase } from '../support/database/databases.ts';
import { noteLog } from '../support/jest/leaks.ts';
import { inRealTime } from '../support/time/real-time.ts';
import { until } from '../support/time/until.ts';
import { letServicesWait } from '../support/time/patience.ts';

beforeAll(letServicesWait);

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
    app.get(UserGroupEvents).listen({ name: 'test', onChange: () => undefined });
    // The application closes between two looks at the change log.
    const read = jest.spyOn(app.get(ChangeReader), 'read');
    await until(() => read.mock.calls.length > 1);
    await app.close();
    const [said, reads] = [lines.length, read.mock.calls.length];
    // A look would have been due meanwhile.
    await inRealTime(600, 'nothing tells of a look that is not made');
    expect(read).toHaveBeenCalledTimes(reads);
    expect(lines.slice(said)).toEqual([]);
    expect(JSON.stringify(lines)).not.toContain('cannot be read');
    await database.drop();
  });
});
