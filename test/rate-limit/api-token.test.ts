import { Controller, Get, Module } from '@nestjs/common';
import { ApiTokenBootstrap } from '../../src/core/api-token/provisioning/api-token.bootstrap.ts';
import { AppModule } from '../../src/server/app/app.module.ts';
import { RequiresScope } from '../../src/platform/common/access/access.decorator.ts';
import { createLog } from '../../src/platform/common/log.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { createApp } from '../../src/server/app/create-app.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { type Answer, ApiClient } from '../support/api/api-client.ts';
import { createTestDatabase, onEachDatabase } from '../support/database/databases.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { startTestService, withService } from '../support/test-service.ts';

const LIMIT = 20;
const look = { user_group_id: 'g' };
const LOOKING = ['user-groups:read', 'user-group-tokens:read'] as const;
const buckets = withFrozenBuckets();

onEachDatabase((kind) => {
  const service = withService(kind, {
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
    WORKSPACE_RATE_LIMIT_PER_MINUTE: '1000',
  });

  beforeAll(async () => {
    await service.api.put({ user_group_id: 'g', name: 'G' });
  });

  test('what is left is told, exactly the limit is let through at once, and the rest is a 429', async () => {
    const client = service.clientOf(await service.issueToken([...LOOKING]));
    const first = await client.get(look);
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({
      'ratelimit-policy': `"api-token";q=${LIMIT};w=60, "workspace";q=1000;w=60`,
      ratelimit: `"api-token";r=${LIMIT - 1};t=3, "workspace";r=998;t=1`,
    });
    expect(first.headers).not.toHaveProperty('retry-after');
    const answers = await Promise.all(Array.from({ length: LIMIT + 5 }, () => client.get(look)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(LIMIT - 1);
    for (const limited of answers.filter(({ status }) => status !== 200)) expectLimited(limited);
    // Another token is not held up by it.
    const other = service.clientOf(await service.issueToken([...LOOKING]));
    expect((await other.get(look)).status).toBe(200);
  });

  test('what was used up comes back bit by bit, and a steady caller is not refused again', async () => {
    const client = service.clientOf(await service.issueToken([...LOOKING]));
    for (let n = 0; n < LIMIT; n++) await client.get(look);
    expectLimited(await client.get(look));
    buckets.pass(2990);
    const early = await client.get(look);
    expect([early.status, early.headers['retry-after']]).toEqual([429, '1']);
    buckets.pass(10);
    for (let n = 0; n < 3; n++) {
      const { status, headers } = await client.get(look);
      expect([status, headers['ratelimit']]).toEqual([
        200,
        expect.stringMatching(/^"api-token";r=0;t=60, /),
      ]);
      buckets.pass(3000);
    }
    buckets.pass(57_000);
    expect((await client.get(look)).headers['ratelimit']).toMatch(/^"api-token";r=19;t=3, /);
  });

  test('calls that are refused for their scope or their body count too', async () => {
    const client = service.clientOf(await service.issueToken([...LOOKING]));
    expect((await client.put({ ...look, name: 'H' })).headers['ratelimit']).toMatch(/;r=19;/);
    expect((await client.get({ user_group_id: '' })).headers['ratelimit']).toMatch(/;r=18;/);
    for (let left = LIMIT - 3; left >= 0; left--) {
      const { status, headers } = await client.put({ ...look, name: 'H' });
      expect([status, headers['ratelimit']]).toEqual([403, expect.stringContaining(`;r=${left};`)]);
    }
    expectLimited(await client.put({ ...look, name: 'H' }));
  });
});

test('0 switches the limit off, and then nothing is told', async () => {
  const service = await startTestService('sqlite', { RATE_LIMIT_PER_MINUTE: '0' });
  const { status, headers } = await service.api.get({ user_group_id: 'g', name: 'G' });
  expect(status).toBe(200);
  expect(headers).not.toHaveProperty('ratelimit');
  expect(headers).not.toHaveProperty('ratelimit-policy');
  await service.close();
});

@Controller('probe')
class ProbeController {
  @Get('introspect')
  @RequiresScope('tokens:introspect')
  introspect() {
    return { success: 1 };
  }

  @Get('list')
  @RequiresScope('user-groups:read')
  list() {
    return { success: 1 };
  }
}

test('without INTROSPECTION_RATE_LIMIT_PER_MINUTE introspections have no limit, and nothing is told', async () => {
  const service = await startTestService('sqlite', {
    RATE_LIMIT_PER_MINUTE: '2',
    WORKSPACE_RATE_LIMIT_PER_MINUTE: '2',
  });
  const introspect = () =>
    service.api.call('POST', '/api/v1/introspect', { token: 'x'.repeat(40) });
  const answers = await Promise.all(Array.from({ length: 300 }, introspect));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const { headers } of answers) expect(Object.keys(headers).join()).not.toMatch(/ratelimit/);
  // Nor do they use up the limit of other calls.
  expect((await service.api.get(look)).headers['ratelimit']).toContain('"api-token";r=1;');
  await service.close();
});

test('introspections have a limit of their own', async () => {
  const database = await createTestDatabase('sqlite');
  const config = loadConfig({
    ...database.env,
    BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN,
    RATE_LIMIT_PER_MINUTE: '2',
    WORKSPACE_RATE_LIMIT_PER_MINUTE: '0',
    INTROSPECTION_RATE_LIMIT_PER_MINUTE: '3',
  });
  await prepareDatabase(config);

  @Module({ imports: [AppModule.with(config)], controllers: [ProbeController] })
  class ExtendedModule {}

  const app = await createApp(
    config,
    await createLog({ ...config, logLevel: 'silent' }),
    ExtendedModule,
  );
  await app.init();
  await app.get(ApiTokenBootstrap).run();
  await app.listen(0, '127.0.0.1');
  const api = new ApiClient(await app.getUrl(), BOOTSTRAP_TOKEN);
  const seen: unknown[] = [];
  for (const path of [
    'introspect',
    'introspect',
    'introspect',
    'introspect',
    'list',
    'list',
    'list',
  ]) {
    const { status, headers } = await api.send({ method: 'GET', path: `/probe/${path}` });
    seen.push([status, headers['ratelimit-policy'], String(headers['ratelimit']).split(';t=')[0]]);
  }
  expect(seen).toEqual([
    [200, '"introspection";q=3;w=60, "workspace-introspection";q=15;w=60', '"introspection";r=2'],
    [200, '"introspection";q=3;w=60, "workspace-introspection";q=15;w=60', '"introspection";r=1'],
    [200, '"introspection";q=3;w=60, "workspace-introspection";q=15;w=60', '"introspection";r=0'],
    [429, '"introspection";q=3;w=60, "workspace-introspection";q=15;w=60', '"introspection";r=0'],
    [200, '"api-token";q=2;w=60', '"api-token";r=1'],
    [200, '"api-token";q=2;w=60', '"api-token";r=0'],
    [429, '"api-token";q=2;w=60', '"api-token";r=0'],
  ]);
  await app.close();
  await database.drop();
});

function expectLimited({ status, headers, body }: Answer): void {
  expect([status, body.success, body.code]).toEqual([429, 0, 'rate_limited']);
  expect(body.detail).toMatch(/^The API token has made too many requests/);
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'ratelimit-policy': `"api-token";q=${LIMIT};w=60, "workspace";q=1000;w=60`,
    ratelimit: expect.stringMatching(/^"api-token";r=0;t=\d+, "workspace";r=\d+;t=\d+$/),
  });
  expect(headers['retry-after']).toBe(String(60 / LIMIT));
}
