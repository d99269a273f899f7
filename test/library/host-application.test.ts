import {
  Body,
  type CanActivate,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Module,
  Post,
  SetMetadata,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, NestFactory, Reflector } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  type Bucket,
  Introspector,
  operator,
  RateLimitStore,
  Tokens,
  type UserGroupEvent,
  UserGroupEvents,
  UserGroupServiceModule,
  type UserGroupOptions,
  UserGroups,
} from '../../src/server/library/index.ts';
import { ChangeReader, PositionLost } from '../../src/core/change-log/change-reader.ts';
import { createLog, NestLog } from '../../src/platform/common/log.ts';
import { Config } from '../../src/platform/config/config.ts';
import { ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { openLog } from '../support/jest/leaks.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';
import { letServicesWait } from '../support/time/patience.ts';

const WORKSPACE = 1;
const LOG = Object.assign(new Config(), { logLevel: 'trace', logFormat: 'json' });

/** The host's own way to except a route from its guard. */
const Open = () => SetMetadata('open', true);

@Injectable()
class HostGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    return (
      this.reflector.getAllAndOverride('open', [context.getHandler(), context.getClass()]) === true
    );
  }
}

@Controller('api/v1/orders')
class OrderController {
  @Get()
  @Open()
  list() {
    return { orders: [] };
  }

  @Post()
  @Open()
  create(@Body() order: { amount: number }) {
    return { received: order };
  }

  @Get('closed')
  closed() {
    return {};
  }
}

beforeAll(letServicesWait);

onEachDatabase((kind) => {
  let database: TestDatabase;
  let values: UserGroupOptions;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    values = {
      databaseUrl: database.env['DATABASE_URL'],
      dataDir: database.env['DATA_DIR'],
      tokenEncryptionKeys: database.env['TOKEN_ENCRYPTION_KEYS'],
      bootstrapApiToken: BOOTSTRAP_TOKEN,
      webhookDelivery: false,
    };
  });

  afterAll(() => database.drop());

  /** An application that has body parsers, a guard and a pipe of its own, as most have. */
  async function start(userGroups: DynamicModule): Promise<NestExpressApplication> {
    @Module({
      imports: [userGroups],
      controllers: [OrderController],
      providers: [{ provide: APP_GUARD, useClass: HostGuard }],
    })
    class HostModule {}

    const app = await NestFactory.create<NestExpressApplication>(HostModule, {
      logger: new NestLog(await createLog(LOG, openLog())),
      abortOnError: false,
    });
    app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }));
    await app.listen(0, '127.0.0.1');
    return app;
  }

  const clientOf = (app: NestExpressApplication, token?: string) =>
    new ApiClient(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`, token);

  describe('with its routes below a prefix', () => {
    let app: NestExpressApplication;
    let api: ApiClient;

    beforeAll(async () => {
      app = await start(
        UserGroupServiceModule.forRootAsync({
          useFactory: () => Promise.resolve(values),
          http: { prefix: 'internal', decorators: [Open()] },
        }),
      );
      api = clientOf(app, BOOTSTRAP_TOKEN);
    });

    afterAll(() => app.close());

    const call = (method: string, body: object | string, path = '/internal/api/user') =>
      api.send({ method, path, body });

    test('the contract holds: create, look up, write, rotate, introspect', async () => {
      const created = await call('GET', { user_group_id: 'a', name: 'A', properties: { n: 1 } });
      expect([created.status, created.body.new_user_group]).toEqual([200, true]);
      const { token } = created.body.user_group;
      const found = await call('GET', { user_group_id: 'a' });
      expect([found.body.new_user_group, found.body.user_group.token]).toEqual([false, token]);
      expect((await call('PUT', { user_group_id: 'a', name: 'B' })).body.user_group.name).toBe('B');
      const rotated = await call('POST', { current_token: token });
      expect([rotated.status, rotated.body.user_group.token === token]).toEqual([200, false]);
      const introspect = (one: string) =>
        call('POST', { token: one }, '/internal/api/v1/introspect');
      expect((await introspect(token)).body).toEqual({ active: false });
      expect((await introspect(rotated.body.user_group.token)).body.active).toBe(true);
    });

    test('bodies are judged by their bytes, whatever parser the application has', async () => {
      const twice = await call('PUT', '{"user_group_id":"b","name":"B","name":"C"}');
      expect([twice.status, twice.body.code]).toEqual([400, 'json_duplicate_key']);
      const inexact = await call(
        'PUT',
        '{"user_group_id":"b","name":"B","properties":{"n":9007199254740993}}',
      );
      expect([inexact.status, inexact.body.errors[0]!.pointer]).toEqual([422, '/properties/n']);
      const missing = await api.send({ method: 'GET', path: '/internal/api/user' });
      expect([missing.status, missing.body.code]).toEqual([400, 'body_missing']);
      const large = await call('PUT', { user_group_id: 'b', name: 'x'.repeat(300 * 1024) });
      expect([large.status, large.body.code]).toEqual([413, 'body_too_large']);
      const malformed = await call('PUT', '{');
      expect([malformed.status, malformed.body.success]).toEqual([400, 0]);
    });

    test('every answer has the header fields of the service, and none an entity tag', async () => {
      for (const { headers } of [
        await call('PUT', { user_group_id: 'a', name: 'B' }),
        await call('PUT', {}),
        await call('POST', { token: 'x' }, '/internal/api/v1/introspect'),
      ]) {
        expect(headers['cache-control']).toBe('no-store');
        expect(headers['x-request-id']).toEqual(expect.any(String));
        expect(headers['etag']).toBeUndefined();
      }
    });

    test('HEAD creates nothing, and other methods are refused with those there are', async () => {
      for (const method of ['HEAD', 'DELETE', 'PATCH']) {
        const { status, headers } = await call(method, { user_group_id: 'head', name: 'H' });
        expect([method, status, headers['allow']]).toEqual([method, 405, 'GET, PUT, POST']);
      }
      const { status } = await call(
        'HEAD',
        { user_group_id: 'h', name: 'H' },
        '/internal/API/user/',
      );
      expect(status).toBe(405);
      expect((await call('GET', { user_group_id: 'head' })).status).toBe(404);
      const override = await api.send({
        method: 'POST',
        path: '/internal/api/user',
        headers: { 'X-HTTP-Method-Override': 'GET' },
        body: { user_group_id: 'overridden', name: 'O' },
      });
      expect(override.body.new_user_group).toBe(true);
    });

    test('nobody gets in without an API token', async () => {
      const anonymous = clientOf(app);
      const { status, body } = await anonymous.send({
        method: 'PUT',
        path: '/internal/api/user',
        body: { user_group_id: 'c', name: 'C' },
      });
      expect([status, body.code]).toEqual([401, 'credentials_missing']);
    });

    test('the application’s own routes, bodies and errors stay as they are', async () => {
      const { port } = app.getHttpServer().address() as AddressInfo;
      const own = async (path: string, init?: RequestInit) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
        return [answer.status, await answer.json(), answer.headers.get('cache-control')];
      };
      expect(await own('/api/v1/orders')).toEqual([200, { orders: [] }, null]);
      const headers = { 'Content-Type': 'application/json' };
      expect(
        await own('/api/v1/orders', { method: 'POST', headers, body: '{"amount":3}' }),
      ).toEqual([201, { received: { amount: 3 } }, null]);
      expect((await own('/api/v1/orders/closed'))[0]).toBe(403);
      expect((await own('/api/user'))[0]).toBe(404);
    });

    test('an import is read as it comes', async () => {
      const { status, body } = await api.send({
        method: 'POST',
        path: '/internal/api/v1/user-groups/import',
        headers: { 'Content-Type': 'application/x-ndjson' },
        body: '{"user_group_id":"i1","name":"I"}\n{"user_group_id":"i2","name":"I"}\n',
      });
      expect([status, body]).toMatchObject([200, { summary: { created: 2 } }]);
      expect((await call('GET', { user_group_id: 'i2' })).status).toBe(200);
    });
  });

  describe('with the console', () => {
    let app: NestExpressApplication;
    let origin: string;

    beforeAll(async () => {
      const http = { prefix: 'internal', console: true, decorators: [Open()] };
      app = await start(UserGroupServiceModule.forRoot({ ...values, http }));
      origin = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    });

    afterAll(() => app.close());

    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${origin}${path}`, { redirect: 'manual', ...init });

    const signIn = (from: string, apiToken = BOOTSTRAP_TOKEN) =>
      call('/internal/console/session', {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': from, 'Content-Type': 'application/json' },
        body: JSON.stringify({ api_token: apiToken }),
      });

    test('the page and its assets are served below the prefix, under their own policy', async () => {
      const led = await call('/internal/console');
      expect([led.status, led.headers.get('location')]).toEqual([302, 'console/']);
      const page = await call('/internal/console/');
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      const [, script] = /src="\.\/(assets\/[^"]+)"/.exec(await page.text())!;
      const asset = await call(`/internal/console/${script}`);
      expect([asset.status, asset.headers.get('cache-control')]).toEqual([
        200,
        expect.stringContaining('immutable'),
      ]);
      await asset.arrayBuffer();
    });

    test('a session calls the routes of the user groups, and nothing else of the application', async () => {
      const begun = await signIn('same-origin');
      expect(begun.status).toBe(200);
      const [cookie] = begun.headers.getSetCookie()[0]!.split(';');
      const withCookie = { headers: { Cookie: cookie! } };
      const listed = await call('/internal/console/api/v1/user-groups', withCookie);
      expect([listed.status, await listed.json()]).toMatchObject([200, { success: 1 }]);
      for (const path of ['/internal/api/v1/user-groups', '/internal/console/api/v1/nowhere']) {
        expect([path, (await call(path, withCookie)).ok]).toEqual([path, false]);
      }
      for (const path of ['/console/', '/console/session', '/internal/console/api/v1/orders']) {
        expect([path, (await call(path, withCookie)).status]).toEqual([path, 404]);
      }
    });

    test('capitals make no other route of it', async () => {
      const begun = await signIn('same-origin');
      const [cookie] = begun.headers.getSetCookie()[0]!.split(';');
      const Authorization = `Token ${BOOTSTRAP_TOKEN}`;
      for (const path of ['/internal/CONSOLE/session', '/INTERNAL/console/API/v1/user-groups']) {
        const withToken = await call(path, { headers: { Authorization } });
        expect([path, withToken.status]).toEqual([path, 401]);
        const withCookie = await call(path, { headers: { Cookie: cookie! } });
        expect([path, withCookie.status]).toEqual([path, 200]);
        const foreign = { method: 'DELETE', headers: { 'Sec-Fetch-Site': 'cross-site' } };
        expect([path, (await call(path, foreign)).status]).toEqual([path, 403]);
      }
    });

    test('another site and a wrong token are refused as the service refuses them', async () => {
      const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;
      const foreign = await signIn('cross-site');
      expect([foreign.status, await codeOf(foreign)]).toEqual([403, 'cross_site_request']);
      const wrong = await signIn('same-origin', `uga_${'0'.repeat(38)}`);
      expect([wrong.status, await codeOf(wrong)]).toEqual([401, 'api_token_invalid']);
      const without = await call('/internal/console/api/v1/user-groups');
      expect([without.status, await codeOf(without)]).toEqual([401, 'session_missing']);
      expect(without.headers.get('cache-control')).toBe('no-store');
    });

    test('a target in absolute form is refused as its path is', async () => {
      const headers = { 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'application/json' };
      const path = 'http://any.example/internal/console/session';
      const outgoing = request(origin, { method: 'POST', path, headers });
      outgoing.end(JSON.stringify({ api_token: BOOTSTRAP_TOKEN }));
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect([answer.statusCode, await json(answer)]).toMatchObject([
        403,
        { code: 'cross_site_request' },
      ]);
    });
  });

  describe('without routes', () => {
    let app: NestExpressApplication;

    beforeAll(async () => {
      app = await start(UserGroupServiceModule.forRoot({ ...values, http: false }));
    });

    afterAll(() => app.close());

    test('its services do what the interface does', async () => {
      const caller = operator(WORKSPACE);
      const { user_group, new_user_group } = await app
        .get(UserGroups)
        .createOrLookUp(caller, { user_group_id: 's', name: 'S', properties: { region: 'EMEA' } });
      expect(new_user_group).toBe(true);
      const rotated = await app.get(Tokens).rotate(caller, { current_token: user_group.token });
      const introspector = app.get(Introspector);
      const { token } = rotated.user_group;
      expect(await introspector.introspect(caller, { token })).toMatchObject({
        active: true,
        sub: 's',
        properties: { region: 'EMEA' },
      });
      expect(await introspector.introspect(caller, { token: user_group.token })).toEqual({
        active: false,
      });
      await app.get(UserGroups).delete(caller, 's');
      await expect(app.get(UserGroups).get(caller, 's')).rejects.toThrow('user group');
      const stray = app.get(UserGroups).put(operator(999), { user_group_id: 's', name: 'S' });
      await expect(stray).rejects.toThrow('There is no workspace 999.');
    });

    test('what they are given is checked, and so is who asks', async () => {
      const groups = app.get(UserGroups);
      const caller = operator(WORKSPACE);
      for (const wrong of [{}, { user_group_id: 7 }, { user_group_id: 'x', name: '\u0000' }]) {
        await expect(groups.put(caller, wrong as never)).rejects.toMatchObject({
          spec: { status: 422 },
        });
      }
      const unknown = { user_group_id: 'x', name: 'X', colour: 'red' };
      await expect(groups.put(caller, unknown)).rejects.toMatchObject({ spec: { status: 422 } });
      const inexact = { user_group_id: 'x', name: 'X', properties: { n: NaN } };
      await expect(groups.put(caller, inexact)).rejects.toMatchObject({ spec: { status: 422 } });
      const reader = { ...caller, scopes: new Set(['user-groups:read'] as const) };
      await expect(groups.put(reader, { user_group_id: 'x', name: 'X' })).rejects.toMatchObject({
        spec: { code: 'insufficient_scope' },
      });
    });

    test('a caller without the scope for tokens is shown none that exists', async () => {
      const owner = operator(WORKSPACE);
      const groups = app.get(UserGroups);
      await groups.put(owner, { user_group_id: 'shown', name: 'Shown' });
      const all = [...owner.scopes].filter((scope) => scope !== 'user-group-tokens:read');
      const caller = { ...owner, scopes: new Set(all) };
      for (const call of [
        () => groups.createOrLookUp(caller, { user_group_id: 'shown' }),
        () => groups.put(caller, { user_group_id: 'shown' }),
        () => app.get(Tokens).getCurrent(caller, 'shown'),
      ]) {
        await expect(call()).rejects.toMatchObject({
          message: expect.stringContaining('"user-group-tokens:read"'),
        });
      }
      expect(await groups.get(caller, 'shown')).toMatchObject({ provided_id: 'shown' });
    });

    test('there is no route', async () => {
      const { status } = await clientOf(app, BOOTSTRAP_TOKEN).send({
        method: 'PUT',
        path: '/api/user',
        body: { user_group_id: 'x', name: 'X' },
      });
      expect(status).toBe(404);
    });
  });

  test('an implementation of the application’s own takes the place of a port', async () => {
    const counted: string[] = [];
    class FullStore extends RateLimitStore {
      take(buckets: readonly Bucket[], wanted: number) {
        for (const { key, perMinute } of buckets) counted.push(`${key} ${perMinute} ${wanted}`);
        const states = buckets.map(() => ({ remaining: 0, resetMs: 60_000, retryMs: 1500 }));
        return Promise.resolve({ granted: 0, states });
      }
    }
    const ports = [{ provide: RateLimitStore, useClass: FullStore }];
    const app = await start(
      UserGroupServiceModule.forRoot({ ...values, ports, http: { decorators: [Open()] } }),
    );
    const { status, body, headers } = await clientOf(app, BOOTSTRAP_TOKEN).get({
      user_group_id: 'p',
    });
    expect([status, body.code, headers['retry-after']]).toEqual([429, 'rate_limited', '2']);
    expect(counted).toEqual(['api-token:1 6000 1', 'workspace:1 30000 1']);
    await app.close();
  });

  test('events are heard in the same process, whoever has made the change', async () => {
    const first = await start(UserGroupServiceModule.forRoot({ ...values, http: false }));
    const second = await start(UserGroupServiceModule.forRoot({ ...values, http: false }));
    const heard: UserGroupEvent[] = [];
    const end = first.get(UserGroupEvents).listen({
      name: 'ledger',
      onChange: (event) => {
        heard.push(event);
        throw new Error('a listener’s own mistake');
      },
    });
    const caller = operator(WORKSPACE);
    // A change that is committed before the first look at the change log is not told.
    let changes = 0;
    await until(async () => {
      await second.get(UserGroups).put(caller, { user_group_id: `e${changes++}`, name: 'E' });
      return heard.length >= 2;
    });
    expect(heard[0]).toMatchObject({
      type: 'user_group.create',
      workspace_id: WORKSPACE,
      user_group: { provided_id: expect.stringMatching(/^e\d+$/) as string },
    });
    end();
    const { length } = heard;
    const others: UserGroupEvent[] = [];
    first
      .get(UserGroupEvents)
      .listen({ name: 'other', onChange: (event) => void others.push(event) });
    // A listener that is still there would be told before the other, or with it.
    const told = others.length;
    await until(async () => {
      await second.get(UserGroups).put(caller, { user_group_id: `e${changes++}`, name: 'E' });
      return others.length > told + 1;
    });
    expect(heard).toHaveLength(length);
    await Promise.all([first.close(), second.close()]);
  });

  test('a listener is told that it may have missed changes, and then of those that follow', async () => {
    const app = await start(UserGroupServiceModule.forRoot({ ...values, http: false }));
    const told: string[] = [];
    app.get(UserGroupEvents).listen({
      name: 'cache',
      onChange: ({ type }) => void told.push(type),
      onGap: () => void told.push('gap'),
    });
    const read = jest.spyOn(app.get(ChangeReader), 'read');
    await until(() => read.mock.calls.length > 0);
    read.mockRejectedValueOnce(new PositionLost('another server'));
    await until(() => told.includes('gap'));
    const caller = operator(WORKSPACE);
    let changes = 0;
    await until(async () => {
      await app.get(UserGroups).put(caller, { user_group_id: `after ${changes++}`, name: 'A' });
      return told.length > 1;
    });
    expect(told.slice(0, 2)).toEqual(['gap', 'user_group.create']);
    await app.close();
  });

  test('two of them live in one process, each on its own database', async () => {
    const other = await createTestDatabase('sqlite');
    const first = await start(UserGroupServiceModule.forRoot(values));
    const second = await start(
      UserGroupServiceModule.forRoot({
        dataDir: other.env['DATA_DIR'],
        http: false,
        webhookDelivery: false,
      }),
    );
    const caller = operator(WORKSPACE);
    await first.get(UserGroups).put(caller, { user_group_id: 'only-here', name: 'O' });
    await expect(second.get(UserGroups).get(caller, 'only-here')).rejects.toThrow();
    await Promise.all([first.close(), second.close()]);
    await other.drop();
  });
});

test('what is given for a port must be one', () => {
  const ports = [{ provide: UserGroups, useValue: {} }];
  expect(() => UserGroupServiceModule.forRoot({ ports })).toThrow(
    /^UserGroups of the .* is not a replaceable provider. Replaceable: .*RateLimitStore/,
  );
});

test('values that cannot be used are named, and never shown', async () => {
  const module = UserGroupServiceModule.forRoot({ databaseUrl: 'mysql://root:secret@db/x' });
  const creation = NestFactory.create(module, { logger: false, abortOnError: false });
  await expect(creation).rejects.toThrow(/^databaseUrl must/);
  await expect(creation).rejects.not.toThrow(/secret/);
  const misspelt = UserGroupServiceModule.forRoot({ dataDirectory: 'x' } as never);
  await expect(
    NestFactory.create(misspelt, { logger: false, abortOnError: false }),
  ).rejects.toThrow('dataDirectory is no option');
});
