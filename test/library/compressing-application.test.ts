import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { CachedIntrospector } from '../../clients/typescript/cached-introspector.ts';
import { createLog, NestLog } from '../../src/platform/common/log.ts';
import { Config } from '../../src/platform/config/config.ts';
import { UserGroupServiceModule } from '../../src/server/library/index.ts';
import { ApiClient } from '../support/api/api-client.ts';
import { letIntrospectorsWait, letServicesWait } from '../support/time/patience.ts';
import { until } from '../support/time/until.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { StreamReader } from '../support/events/event-stream.ts';
import { openLog } from '../support/jest/leaks.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';

beforeAll(letServicesWait);
beforeAll(letIntrospectorsWait);

const require = createRequire(import.meta.url);
const compression = require('compression') as (options: { threshold: number }) => RequestHandler;
const LOG = Object.assign(new Config(), { logLevel: 'trace', logFormat: 'json' });

onEachDatabase((kind) => {
  let database: TestDatabase;
  let app: NestExpressApplication;
  let baseUrl: string;
  let api: ApiClient;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    @Module({
      imports: [
        UserGroupServiceModule.forRoot({
          databaseUrl: database.env['DATABASE_URL'],
          dataDir: database.env['DATA_DIR'],
          tokenEncryptionKeys: database.env['TOKEN_ENCRYPTION_KEYS'],
          bootstrapApiToken: BOOTSTRAP_TOKEN,
        }),
      ],
    })
    class HostModule {}
    app = await NestFactory.create<NestExpressApplication>(HostModule, {
      logger: new NestLog(await createLog(LOG, openLog())),
    });
    app.use(compression({ threshold: 0 }));
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    baseUrl = `http://127.0.0.1:${port}`;
    api = new ApiClient(baseUrl, BOOTSTRAP_TOKEN);
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const GZIP = { 'Accept-Encoding': 'gzip' };

  test('an event stream arrives as it is written, although the application compresses', async () => {
    const headers = { ...GZIP, Authorization: `Token ${BOOTSTRAP_TOKEN}` };
    const overview = await fetch(`${baseUrl}/api/v1/overview`, { headers });
    await overview.body?.cancel();
    expect(overview.headers.get('content-encoding')).toBe('gzip');
    const reader = await StreamReader.open({ baseUrl }, BOOTSTRAP_TOKEN, '', GZIP);
    expect(reader.response.headers['content-encoding']).toBeUndefined();
    await reader.until(() => reader.messages.some(({ event }) => event === 'current'));
    const { id } = await api.create();
    await reader.until(() => reader.changes.length > 0);
    expect(reader.changes[0]!.data).toMatchObject({ user_group: { provided_id: id } });
    reader.close();
  });

  test('a cached introspector answers from memory, and asks for no coding of its stream', async () => {
    const codings = new Map<string, string | null>();
    const introspector = new CachedIntrospector({
      baseUrl,
      apiToken: BOOTSTRAP_TOKEN,
      fetch: (request: Request) => {
        codings.set(new URL(request.url).pathname, request.headers.get('Accept-Encoding'));
        return fetch(request);
      },
    });
    const { token } = await api.create();
    await until(() => introspector.isCurrent);
    await until(() => {
      void introspector.introspect(token).catch(() => undefined);
      return introspector.counts.remembered > 10;
    });
    introspector.close();
    expect(codings.get('/api/v1/events/stream')).toBe('identity');
  });

  test('an entity tag stays strong, and exports and imports are streams', async () => {
    const { id } = await api.create();
    const path = `/api/v1/user-groups/${encodeURIComponent(id)}`;
    const read = await api.call('GET', path, undefined, GZIP);
    expect([read.headers['etag']?.toString().startsWith('"'), read.headers]).toEqual([
      true,
      expect.not.objectContaining({ 'content-encoding': expect.anything() }),
    ]);
    const ifMatch = { 'If-Match': read.headers['etag'] as string };
    expect((await api.call('PATCH', path, { name: 'B' }, ifMatch)).status).toBe(200);
    const exported = await api.call('POST', '/api/v1/user-groups/export', {}, GZIP);
    expect(exported.headers).toMatchObject({ 'cache-control': 'no-store, no-transform' });
    expect(exported.headers).not.toHaveProperty('content-encoding');
  });
});
