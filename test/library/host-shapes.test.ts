import {
  type CanActivate,
  ConflictException,
  Controller,
  type ExecutionContext,
  ForbiddenException,
  Get,
  HttpException,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  Post,
  Type,
  UnauthorizedException,
  UseFilters,
  VersioningType,
  type VersioningOptions,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import type { AddressInfo } from 'node:net';
import {
  definePlugin,
  JsonBody,
  Rule,
  operator,
  Public,
  RequiresScope,
  textViolations,
  UserGroupErrors,
  UserGroupServiceModule,
  type UserGroupOptions,
  type UserGroupRoutes,
  UserGroups,
  type UserGroupStructure,
} from '../../src/server/library/index.ts';
import { ApiClient } from '../support/api/api-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/databases.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';
import { letServicesWait } from '../support/time/patience.ts';

const COMPATIBLE = { compatibility: '^0.1.0' };
const PATH = '/api/v1/thrown';
let toThrow: () => unknown = () => undefined;

@Controller('api/v1/thrown')
class ThrowingController {
  @Get()
  @RequiresScope('user-groups:read')
  find() {
    toThrow();
    return { success: 1 };
  }
}
@Module({ controllers: [ThrowingController] })
class ThrowingModule {}
const throwing = definePlugin({ name: 'throwing', ...COMPATIBLE, modules: [ThrowingModule] });

@Injectable()
class ThrowingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getResponse<Response>().setHeader('Retry-After', '7');
    return toThrow() !== false;
  }
}

class NoteDto {
  @Rule(textViolations)
  note!: string;
}

@Controller('own')
class OwnController {
  constructor(@Inject(UserGroups) private readonly userGroups: UserGroups) {}

  @Get()
  @UseFilters(UserGroupErrors)
  find() {
    return this.userGroups.get(operator(1), 'nobody');
  }

  @Get('other')
  @UseFilters(UserGroupErrors)
  other() {
    throw new ConflictException('as the application has it');
  }

  @Post()
  @Public()
  note(@JsonBody(NoteDto) { note }: NoteDto) {
    return { note };
  }
}

let database: TestDatabase;
let values: UserGroupOptions;

beforeAll(letServicesWait);

beforeAll(async () => {
  database = await createTestDatabase('sqlite');
  values = {
    dataDir: database.env['DATA_DIR'],
    tokenEncryptionKeys: database.env['TOKEN_ENCRYPTION_KEYS'],
    bootstrapApiToken: BOOTSTRAP_TOKEN,
    webhookDelivery: false,
  };
});

afterEach(() => {
  toThrow = () => undefined;
});

/** Every application that has started, even if it must not. */
const apps: NestExpressApplication[] = [];

afterAll(async () => {
  await Promise.allSettled(apps.map((app) => app.close()));
  await database.drop();
});

interface Host {
  structure?: UserGroupStructure;
  controllers?: Type[];
  rawBody?: boolean;
  bodyParser?: boolean;
  prepare?: (app: NestExpressApplication) => unknown;
}

async function start({ structure, controllers = [], prepare, ...parsing }: Host) {
  @Module({ imports: [UserGroupServiceModule.forRoot({ ...values, ...structure })], controllers })
  class HostModule {}
  const app = await NestFactory.create<NestExpressApplication>(HostModule, {
    logger: false,
    abortOnError: false,
    ...parsing,
  });
  apps.push(app);
  try {
    prepare?.(app);
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  return { app, url, api: new ApiClient(url, BOOTSTRAP_TOKEN) };
}

describe('errors of others keep their status', () => {
  const thrown: [HttpException, number, string, string][] = [
    [new UnauthorizedException('Who are you?'), 401, 'refused', 'Who are you?'],
    [new ForbiddenException('Not today.'), 403, 'refused', 'Not today.'],
    [new NotFoundException('No such seats'), 404, 'refused', 'No such seats'],
    [new ConflictException('Taken'), 409, 'refused', 'Taken'],
    [new HttpException('teapot', 418), 418, 'refused', 'teapot'],
    [new HttpException('Slow down', 429), 429, 'refused', 'Slow down'],
    [new HttpException({ message: ['a', 'b'] }, 422), 422, 'refused', 'a; b'],
    [
      new HttpException('secret', 503),
      503,
      'extension_unavailable',
      'An extension of the service has not returned in time; nothing was stored. Repeat the call after Retry-After seconds; the log names the plugin.',
    ],
    [
      new HttpException('secret', 502),
      500,
      'internal_error',
      'Something went wrong inside the service. Please report it with the request_id.',
    ],
  ];

  test('in a handler of a plugin', async () => {
    const service = await startTestService('sqlite', {}, [throwing]);
    for (const [error, status, code, detail] of thrown) {
      toThrow = () => {
        throw error;
      };
      const answer = await service.api.send({ method: 'GET', path: PATH });
      expect([answer.status, answer.body]).toMatchObject([
        status,
        { success: 0, code, status, detail },
      ]);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    }
    const unknown = await service.api.send({ method: 'GET', path: '/api/v1/nowhere' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'route_not_found']);
    await service.close();
  });

  test('in a guard of the application', async () => {
    const { app, api } = await start({ structure: { http: { guards: [ThrowingGuard] } } });
    const get = () => api.send({ method: 'GET', path: '/api/v1/user-groups' });
    for (const [error, status, code, detail] of thrown) {
      toThrow = () => {
        throw error;
      };
      const answer = await get();
      expect([answer.status, answer.body]).toMatchObject([status, { code, detail }]);
      if (status === 429) expect(answer.headers['retry-after']).toBe('7');
    }
    toThrow = () => false;
    expect(await get()).toMatchObject({ status: 403, body: { code: 'refused' } });
    toThrow = () => undefined;
    expect((await get()).status).toBe(200);
    await app.close();
  });

  test('errors of the services in a handler of the application are those of the catalogue', async () => {
    const { app, api } = await start({ controllers: [OwnController] });
    expect(await api.send({ method: 'GET', path: '/own' })).toMatchObject({
      status: 404,
      body: { code: 'user_group_not_found' },
    });
    expect(await api.send({ method: 'GET', path: '/own/other' })).toMatchObject({
      status: 409,
      body: { message: 'as the application has it' },
    });
    await app.close();
  });
});

describe('a handler of a nested module of a plugin', () => {
  @Controller('api/v1/forgotten')
  class ForgottenController {
    @Get()
    find() {
      return { open: true };
    }
  }
  @Module({ controllers: [ForgottenController] })
  class ForgottenModule {}
  @Module({})
  class BetweenModule {}
  @Module({ imports: [{ module: BetweenModule, imports: [ForgottenModule] }] })
  class OuterModule {}
  @Module({ imports: [ThrowingModule] })
  class NestingModule {}

  const nested = (module: Type) => [
    definePlugin({ name: 'nested', ...COMPATIBLE, modules: [module] }),
  ];

  test('that does not say who may call it ends the start', async () => {
    const message = 'A handler needs either @RequiresScope or @Public: ForgottenController.find';
    const structure = { plugins: nested(OuterModule) };
    await expect(start({ structure })).rejects.toThrow(message);
    await expect(start({ structure: { ...structure, http: false } })).rejects.toThrow(message);
    await expect(startTestService('sqlite', {}, nested(OuterModule))).rejects.toThrow(message);
  });

  test('is below the prefix, and nowhere else', async () => {
    const structure = { http: { prefix: 'internal' }, plugins: nested(NestingModule) };
    const { app, api } = await start({ structure });
    expect((await api.send({ method: 'GET', path: `/internal${PATH}` })).status).toBe(200);
    expect((await api.send({ method: 'GET', path: PATH })).status).toBe(404);
    await app.close();
  });

  test('of a module that a promise brings ends the start', () => {
    @Module({ imports: [Promise.resolve({ module: ForgottenModule })] })
    class LateModule {}
    expect(() => UserGroupServiceModule.forRoot({ plugins: nested(LateModule) })).toThrow(
      'The plugin nested imports a module by a promise',
    );
  });
});

describe('an application', () => {
  test.each<[string, UserGroupRoutes, string, NonNullable<Host['prepare']>]>([
    ['with a global prefix', {}, '/gp', (app) => app.setGlobalPrefix('gp')],
    [
      'with a global prefix and one of its own',
      { prefix: 'internal' },
      '/gp/internal',
      (app) => app.setGlobalPrefix('gp'),
    ],
    [
      'that excepts the routes from its prefix',
      { prefix: 'internal' },
      '/internal',
      (app) => app.setGlobalPrefix('gp', { exclude: ['internal/*path'] }),
    ],
    ...(
      [
        { type: VersioningType.URI, defaultVersion: '1' },
        { type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' },
        { type: VersioningType.MEDIA_TYPE, key: 'v=', defaultVersion: '1' },
        { type: VersioningType.CUSTOM, extractor: () => '7', defaultVersion: '1' },
      ] satisfies VersioningOptions[]
    ).map(
      (options) =>
        [
          `with versions of the kind ${options.type}`,
          {},
          '',
          (app: NestExpressApplication) => app.enableVersioning(options),
        ] as [string, UserGroupRoutes, string, NonNullable<Host['prepare']>],
    ),
  ])('%s has the contract where it belongs', async (_what, http, prefix, prepare) => {
    const { app, api } = await start({ structure: { http }, prepare });
    const path = `${prefix}/api/user`;
    const body = '{"user_group_id":"a","name":"A","name":"B"}';
    expect((await api.send({ method: 'PUT', path, body })).body.code).toBe('json_duplicate_key');
    const written = await api.send({
      method: 'PUT',
      path,
      body: { user_group_id: 'a', name: 'A' },
    });
    expect(written.status).toBe(200);
    expect((await api.send({ method: 'PATCH', path, body: {} })).status).toBe(405);
    await app.close();
  });

  test('that has read a body before @JsonBody answers at once', async () => {
    const without = await start({ controllers: [OwnController] });
    const body = { note: 'x' };
    const refused = await without.api.send({ method: 'POST', path: '/own', body });
    expect([refused.status, refused.body.code]).toEqual([500, 'internal_error']);
    await without.app.close();
    const kept = await start({ controllers: [OwnController], rawBody: true });
    const send = (one: unknown) => kept.api.send({ method: 'POST', path: '/own', body: one });
    expect(await send(body)).toMatchObject({ status: 201, body });
    expect((await send('{"note":"a","note":"b"}')).body.code).toBe('json_duplicate_key');
    await kept.app.close();
  });

  test('without the routes of the service has the default limit of a body', async () => {
    const { app, api } = await start({
      structure: { http: false },
      controllers: [OwnController],
      bodyParser: false,
    });
    const send = (length: number) =>
      api.send({ method: 'POST', path: '/own', body: { note: 'x'.repeat(length) } });
    // Such a note is read whole before a rule refuses it.
    expect((await send(250 * 1024)).status).toBe(422);
    expect((await send(257 * 1024)).status).toBe(413);
    await app.close();
  });

  test('whose function of trusted proxies throws refuses a call as others do', async () => {
    const { app, url } = await start({
      prepare: (one) =>
        one.set('trust proxy', (address: string) => {
          if (address !== '127.0.0.1') throw new Error('no address');
          return true;
        }),
    });
    const headers = { 'X-Forwarded-For': 'garbage' };
    const refused = await new ApiClient(url).send({
      method: 'GET',
      path: '/api/v1/user-groups',
      headers,
    });
    expect([refused.status, refused.body.code]).toEqual([401, 'credentials_missing']);
    await app.close();
  });

  test('that imports the module twice does not start', async () => {
    const second = UserGroupServiceModule.forRoot({ ...values, http: { prefix: 'b' } });
    @Module({ imports: [second] })
    class SecondModule {}
    @Module({ imports: [UserGroupServiceModule.forRoot({ ...values, http: false }), SecondModule] })
    class TwiceModule {}
    const creating = NestFactory.create(TwiceModule, { logger: false, abortOnError: false });
    await expect(creating).rejects.toThrow('UserGroupServiceModule is imported twice');
  });
});

test('an application serves the features that it names, as FEATURES names them', async () => {
  const { app, api, url } = await start({
    structure: { http: { features: ['core'], console: true } },
  });
  expect((await api.call('GET', '/api/v1/user-groups')).status).toBe(200);
  expect((await api.call('GET', '/api/v1/webhook-endpoints')).status).toBe(404);
  expect((await fetch(`${url}/console/session`)).status).toBe(401);
  await app.close();
  const less = await start({ structure: { http: { features: ['introspection'] } } });
  expect((await less.api.call('POST', '/api/v1/introspect', { token: 'x' })).body).toMatchObject({
    active: false,
  });
  expect((await less.api.put({ user_group_id: 'acme', name: 'Acme' })).status).toBe(404);
  await less.app.close();
});
