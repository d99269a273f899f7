import { Controller, Get, Module } from '@nestjs/common';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiTokenBootstrap } from '../../src/core/api-token/provisioning/api-token.bootstrap.ts';
import { AppModule } from '../../src/server/app/app.module.ts';
import { RequiresScope } from '../../src/platform/common/access/access.decorator.ts';
import { createLog } from '../../src/platform/common/log.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { createApp } from '../../src/server/app/create-app.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { ApiClient } from '../support/api/api-client.ts';
import { createTestDatabase } from '../support/database/databases.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';

const CAUSE = 'SELECT secret_column FROM secret_table at /srv/secret.ts:1';

@Controller('defect')
class DefectController {
  @Get('error')
  @RequiresScope('admin')
  error() {
    throw Object.assign(new Error(CAUSE), { code: '42P01', detail: CAUSE, status: 500 });
  }

  @Get('text')
  @RequiresScope('admin')
  text() {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- as careless code would
    throw CAUSE;
  }
}

describe.each(['production', 'development'])('with NODE_ENV=%s and every line logged', (mode) => {
  const before = process.env['NODE_ENV'];

  beforeAll(() => {
    process.env['NODE_ENV'] = mode;
  });

  afterAll(() => {
    process.env['NODE_ENV'] = before;
  });

  test('a defect tells its caller a request id and nothing of itself, and the log its cause, once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'user-groups-defect-'));
    const path = join(directory, 'log');
    const database = await createTestDatabase('sqlite');
    const config = loadConfig({
      ...database.env,
      BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN,
      LOG_LEVEL: 'trace',
      LOG_FORMAT: 'json',
    });
    await prepareDatabase(config);

    @Module({ imports: [AppModule.with(config)], controllers: [DefectController] })
    class ExtendedModule {}

    const app = await createApp(
      config,
      await createLog(config, openSync(path, 'w')),
      ExtendedModule,
    );
    await app.init();
    await app.get(ApiTokenBootstrap).run();
    await app.listen(0, '127.0.0.1');
    const api = new ApiClient(await app.getUrl(), BOOTSTRAP_TOKEN);
    for (const kind of ['error', 'text']) {
      const { status, body, headers, text } = await api.call('GET', `/defect/${kind}`);
      expect([status, body]).toEqual([
        500,
        {
          success: 0,
          type: 'urn:problem-type:user-group-service:internal_error',
          title: expect.any(String),
          status: 500,
          detail: expect.any(String),
          code: 'internal_error',
          request_id: headers['x-request-id'],
        },
      ]);
      expect(JSON.stringify(headers) + text).not.toMatch(/secret|42P01|\.ts|\bat\b .*:\d/);
      const logged = await linesWith(path, body.request_id, 'secret_table');
      expect(logged).toHaveLength(1);
      expect(JSON.parse(logged[0]!)).toMatchObject({ level: 'error', msg: 'internal_error' });
    }
    await app.close();
    await database.drop();
    rmSync(directory, { recursive: true });
  });
});

/** The lines of a log that hold both texts; it may be written a moment after the answer. */
async function linesWith(path: string, one: string, other: string): Promise<string[]> {
  const found = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.includes(one) && line.includes(other));
  await until(() => found().length > 0);
  return found();
}
