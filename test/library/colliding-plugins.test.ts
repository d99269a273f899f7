import {
  All,
  Controller,
  Get,
  Head,
  Module,
  type ModuleMetadata,
  Post,
  type Type,
  Version,
} from '@nestjs/common';
import { ApiOperation as SwaggerOperation } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Express } from 'express';
import { Entity, PrimaryColumn, type QueryRunner, type Repository } from 'typeorm';
import {
  ApiOperation,
  declareAction,
  declareScope,
  definePlugin,
  FromEnv,
  type Plugin,
  type PluginDefinition,
  Public,
  RequiresScope,
  text,
  USER_GROUP_DATA_SOURCE,
  UserGroupServiceModule,
} from '../../src/server/library/index.ts';
import { stackOf } from '../../src/platform/common/http/server/static-routes.ts';
import { Config } from '../../src/platform/config/config.ts';
import { requireComposable } from '../../src/server/app/app.module.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { consolePage } from '../support/console/console.ts';
import { startTestService } from '../support/test-service.ts';

type Parts = Omit<PluginDefinition, 'name' | 'compatibility'>;

const plugin = (name: string, parts: Parts) =>
  definePlugin({ name, compatibility: '^0.1.0', ...parts });

const start = (...plugins: Plugin[]) => startTestService('sqlite', {}, plugins);

/** Starts the service, and stops it. */
async function startAndStop(...plugins: Plugin[]): Promise<void> {
  await (await start(...plugins)).close();
}

function moduleOf(parts: ModuleMetadata): Type {
  @Module(parts)
  class PluginModule {}
  return PluginModule;
}

/** Makes a module whose controllers have these routes, each with a handler of its own. */
function routes(...lines: string[]): Type {
  const controllers = lines.map((line, index) => {
    const [method, path] = line.split(' ') as [keyof typeof METHODS, string];
    class LineController {
      handle() {
        return { route: line };
      }
    }
    const { prototype } = LineController;
    const handle = Object.getOwnPropertyDescriptor(prototype, 'handle')!;
    METHODS[method](path)(prototype, 'handle', handle);
    Public()(prototype, 'handle', handle);
    ApiOperation({ operationId: `handle ${line}, ${index}` })(prototype, 'handle', handle);
    Controller()(LineController);
    return LineController;
  });
  return moduleOf({ controllers });
}

const METHODS = { GET: Get, POST: Post, HEAD: Head, ALL: All };

const SCOPE = declareScope('seats:read');
const ACTION = declareAction('seat.assign');

class SeatSettings {
  @FromEnv('SEAT_COLOUR', { about: 'The colour of seats.', read: text })
  colour = 'red';
}

class RowSettings {
  @FromEnv('SEAT_COLOUR', { about: 'The colour of rows.', read: text })
  colour = 'red';
}

@Entity('seats_seat')
class SeatEntity {
  @PrimaryColumn('integer') id!: number;
}

@Entity('seats_seat')
class RowEntity {
  @PrimaryColumn('integer') id!: number;
}

/** Has the class name of an entity of the service, by which a repository is injected. */
const { Workspace: SeatsWorkspace } = {
  Workspace: class {
    id!: number;
  },
};
PrimaryColumn('integer')(SeatsWorkspace.prototype, 'id');
Entity('seats_workspace')(SeatsWorkspace);

@Entity('workspace')
class TakenTable {
  @PrimaryColumn('integer') id!: number;
}

/** Has the table `seats_seat`, by its own name. */
@Entity()
class SeatsSeat {
  @PrimaryColumn('integer') id!: number;
}

@Controller('api/v1/seat-maps')
class MapController {
  @Get()
  @Public()
  @SwaggerOperation({ operationId: 'listSeats' })
  list() {
    return {};
  }
}

@Controller('api/v1/seat-plans')
class PlanController {
  @Get()
  @Public()
  @ApiOperation({ operationId: 'listSeats' })
  list() {
    return {};
  }
}

@Controller('api/v1/row-plans')
class RowPlanController {
  @Get()
  @Public()
  @ApiOperation({ operationId: 'listSeats' })
  list() {
    return {};
  }
}

@Controller('api/v1/row-tokens')
class OwnNameController {
  @Get()
  @Public()
  @ApiOperation({ operationId: 'introspectToken' })
  list() {
    return {};
  }
}

const command = (name: string) => ({ name, about: 'seats', define: () => undefined });

const metrics = (name: string) => () => [
  { type: 'gauge' as const, name, help: 'Seats.', read: () => 1 },
];

test.each<[string, Parts, Parts, string]>([
  ['scope seats:read', { scopes: [SCOPE] }, { scopes: [SCOPE] }, 'Choose another scope.'],
  ['action seat.assign', { actions: [ACTION] }, { actions: [ACTION] }, 'Choose another action.'],
  [
    'table seats_seat',
    { entities: [SeatEntity] },
    { entities: [RowEntity] },
    'Choose another table.',
  ],
  [
    'table seats_seat',
    { entities: [SeatEntity] },
    { entities: [SeatsSeat] },
    'Choose another table.',
  ],
  [
    'command seat',
    { commands: [command('seat')] },
    { commands: [command('seat')] },
    'Choose another command.',
  ],
  [
    'operation id listSeats',
    { modules: [moduleOf({ controllers: [PlanController] })] },
    { modules: [moduleOf({ controllers: [RowPlanController] })] },
    'Choose another operation id.',
  ],
  [
    'operation id listSeats',
    { modules: [moduleOf({ controllers: [PlanController] })] },
    { modules: [moduleOf({ controllers: [MapController] })] },
    'Choose another operation id.',
  ],
])('two plugins with one %s do not start', async (part, first, second, remedy) => {
  await startAndStop(plugin('seats', first));
  await startAndStop(plugin('rows', second));
  await expect(start(plugin('seats', first), plugin('rows', second))).rejects.toThrow(
    `The plugin rows cannot have the ${part}: the plugin seats has it already. ${remedy}`,
  );
});

test('two plugins with one metric do not start', async () => {
  const seats = plugin('seats', { metrics: metrics('seats_sold') });
  const rows = plugin('rows', { metrics: metrics('seats_sold') });
  await startAndStop(seats);
  await expect(start(seats, rows)).rejects.toThrow(
    'The plugin rows cannot have the metric seats_sold: the plugin seats exports it already. Choose another name.',
  );
});

test('a plugin cannot have a metric that a distribution of the service exports', async () => {
  const name = 'http_request_duration_seconds_count';
  await expect(start(plugin('seats', { metrics: metrics(name) }))).rejects.toThrow(
    `The plugin seats cannot have the metric ${name}: the service exports it already.`,
  );
});

test('two plugins with one variable do not start', async () => {
  const seats = plugin('seats', { settings: SeatSettings });
  const rows = plugin('rows', { settings: RowSettings });
  await expect(start(seats, rows)).rejects.toThrow(
    'SEAT_COLOUR is a variable of the plugin seats; the plugin rows needs another name.',
  );
});

test('a variable cannot be the one that names the file of another one', async () => {
  class FileSettings {
    @FromEnv('DATABASE_URL_FILE', { about: 'Seats.', read: text })
    file = '';
  }
  await expect(start(plugin('seats', { settings: FileSettings }))).rejects.toThrow(
    'DATABASE_URL_FILE is a variable of the service; the plugin seats needs another name.',
  );
});

test.each<[string, string, Parts]>([
  ['entity Workspace', 'workspaces', { entities: [SeatsWorkspace] }],
  ['table workspace', 'workspaces', { entities: [TakenTable] }],
  ['command keys', 'key-administration', { commands: [command('keys')] }],
  [
    'operation id introspectToken',
    'introspection',
    { modules: [moduleOf({ controllers: [OwnNameController] })] },
  ],
])('a plugin cannot have the %s of the service', async (part, feature, parts) => {
  await expect(start(plugin('seats', parts))).rejects.toThrow(
    `The plugin seats cannot have the ${part}: the feature ${feature} has it already.`,
  );
});

describe('routes', () => {
  const consoleDirectory = consolePage();

  test.each([
    // Names of parameters, and capitals, make no difference.
    ['GET /api/v1/seats/:id', 'GET /api/v1/seats/:name', 'GET /api/v1/seats/{}'],
    ['GET /api/v1/seats', 'GET /api/v1/Seats', 'GET /api/v1/seats'],
    ['ALL /api/v1/seats', 'ALL /api/v1/seats/', 'ALL /api/v1/seats'],
  ])('%s and %s of two plugins are one', async (first, second, name) => {
    const [seats, rows] = [
      plugin('seats', { modules: [routes(first)] }),
      plugin('rows', { modules: [routes(second)] }),
    ];
    await expect(start(seats, rows)).rejects.toThrow(
      `The plugin rows cannot have the route ${name}: the plugin seats has it already. Choose another path.`,
    );
  });

  test.each([
    ['GET /api/v1/seats/:id', 'GET /api/v1/seats/mine'],
    ['GET /api/v1/seats/mine', 'GET /api/v1/seats/:id'],
    ['GET /api/v1/seats/:id/rows', 'GET /api/v1/seats/mine/:part'],
    ['GET /api/v1/seats/*rest', 'GET /api/v1/seats/mine/first'],
    ['GET /api/v1/seats/:id.svg', 'GET /api/v1/seats/:name'],
    ['ALL /api/v1/seats', 'POST /api/v1/seats'],
    ['GET /api/v1/seats', 'HEAD /api/v1/seats'],
    ['GET /api/v1/seats{/:id}', 'GET /api/v1/seats'],
  ])('%s and %s of two plugins have requests in common', async (first, second) => {
    const [seats, rows] = [
      plugin('seats', { modules: [routes(first)] }),
      plugin('rows', { modules: [routes(second)] }),
    ];
    await expect(start(seats, rows)).rejects.toThrow(
      /^The plugin rows cannot have the route \w+ \S+: (some of its requests are for the route \w+ \S+ of the plugin seats|the plugin seats has it already)\. Choose another path\.$/,
    );
  });

  test.each([
    [
      'GET /api/v1/schemas/mine',
      'some of its requests are for the route GET /api/v1/schemas/{} of the feature registry',
    ],
    ['GET /api/v1/schemas/:any', 'the feature registry has it already'],
    [
      'ALL /api/v1/user-groups/:id',
      'some of its requests are for the route POST /api/v1/user-groups/import of the feature bulk',
    ],
    ['GET /health/live', 'the service has it already'],
    ['GET /docs', 'the service has it already'],
    ['GET /console', 'the feature console has it already'],
    [
      'POST /console/api/seats',
      'some of its requests are for the route ALL /console/api/*path of the feature console',
    ],
    ['GET /*path', 'some of its requests are for'],
  ])('a plugin cannot have %s', async (line, reason) => {
    const seats = plugin('seats', { modules: [routes(line)] });
    await expect(start(seats)).rejects.toThrow(
      `The plugin seats cannot have the route ${line.replace(/:\w+/, '{}')}: ${reason}`,
    );
  });

  test('a plugin cannot have the path of any page', async () => {
    const { app, close } = await startTestService('sqlite', {}, [], {
      consoleDirectory,
    });
    const express: Express = app.getHttpAdapter().getInstance();
    const paths = stackOf(express)
      .flatMap(({ route }) => route?.path ?? [])
      .filter((path) => !path.startsWith('/api/'));
    expect(paths).toEqual(
      expect.arrayContaining([
        '/',
        '/docs/page.css',
        '/console/',
        expect.stringMatching('^/console/assets/.+'),
      ]),
    );
    for (const path of paths) {
      const config = Object.assign(Object.create(app.get(Config)) as Config, {
        plugins: [plugin('seats', { modules: [routes(`ALL ${path}`)] })],
      });
      expect(() => {
        requireComposable(config);
      }).toThrow('The plugin seats cannot have the route ALL ');
    }
    await close();
  });

  test('a plugin cannot have a path of the console that an application serves', () => {
    const plugins = [plugin('seats', { modules: [routes('GET /console')] })];
    expect(() => UserGroupServiceModule.forRoot({ plugins })).not.toThrow();
    expect(() => UserGroupServiceModule.forRoot({ plugins, http: { console: true } })).toThrow(
      'The plugin seats cannot have the route GET /console: the feature console has it already.',
    );
  });

  test('a route of a feature or page that is not served is free', async () => {
    const seats = plugin('seats', {
      modules: [routes('GET /api/v1/schemas/:any', 'GET /docs', 'GET /', 'GET /console')],
    });
    const env = { FEATURES: 'core', DOCS: 'off', CONSOLE: 'off' };
    const service = await startTestService('sqlite', env, [seats]);
    for (const [path, route] of [
      ['/api/v1/schemas/a', 'GET /api/v1/schemas/:any'],
      ['/docs', 'GET /docs'],
      ['/', 'GET /'],
      ['/console', 'GET /console'],
    ] as const) {
      const answer = await service.api.send({ method: 'GET', path });
      expect([answer.status, answer.body]).toEqual([200, { route }]);
    }
    await service.close();
  });

  test.each([
    [
      'GET /api/v1/seats',
      'GET /api/v1/seats',
      'has the route GET /api/v1/seats twice; remove one.',
    ],
    [
      'GET /api/v1/seats/:id',
      'GET /api/v1/seats/mine',
      'cannot have the route GET /api/v1/seats/mine: its own route GET /api/v1/seats/{} comes first and takes all of its requests. Declare the other one first.',
    ],
    [
      'ALL /api/v1/seats/*rest',
      'POST /api/v1/seats/:id/rows',
      'cannot have the route POST /api/v1/seats/{}/rows: its own route ALL /api/v1/seats/*rest comes first',
    ],
    [
      'GET /api/v1/seats',
      'HEAD /api/v1/seats',
      'cannot have the route HEAD /api/v1/seats: its own route GET /api/v1/seats comes first',
    ],
    [
      'GET /api/v1/seats{/:id}',
      'GET /api/v1/seats',
      'cannot have the route GET /api/v1/seats: its own route GET /api/v1/seats{/{}} comes first',
    ],
    [
      'GET /api/v1/seats/*rest',
      'GET /api/v1/seats/:id{/rows{/:row}}',
      'cannot have the route GET /api/v1/seats/{}{/rows{/{}}}: its own route GET /api/v1/seats/*rest comes first',
    ],
  ])('a plugin cannot hide %s from %s', async (first, second, message) => {
    await expect(start(plugin('seats', { modules: [routes(first, second)] }))).rejects.toThrow(
      `The plugin seats ${message}`,
    );
  });

  test('a plugin cannot hide a route by several others', async () => {
    const lines = ['GET /api/v1/seats/:id', 'GET /api/v1/seats', 'GET /api/v1/seats{/:id}'];
    await expect(start(plugin('seats', { modules: [routes(...lines)] }))).rejects.toThrow(
      'The plugin seats cannot have the route GET /api/v1/seats{/{}}: its own routes GET /api/v1/seats and GET /api/v1/seats/{} come first and take all of its requests. Declare the other one first.',
    );
  });

  test('a route with an optional part gets the requests that earlier ones leave', async () => {
    const lines = [
      'GET /api/v1/seats/:id',
      'GET /api/v1/seats{/:id}',
      'GET /api/v1/rows/:id',
      'GET /api/v1/rows/:id{/seats{/:seat}}',
    ];
    const service = await start(plugin('seats', { modules: [routes(...lines)] }));
    for (const [path, route] of [
      ['/api/v1/seats/7', lines[0]],
      ['/api/v1/seats', lines[1]],
      ['/api/v1/rows/7', lines[2]],
      ['/api/v1/rows/7/seats', lines[3]],
      ['/api/v1/rows/7/seats/1', lines[3]],
    ] as const) {
      expect((await service.api.send({ method: 'GET', path })).body).toEqual({ route });
    }
    await service.close();
  });

  test('a plugin has a route for one value of a parameter, and one for all others', async () => {
    const seats = plugin('seats', {
      modules: [
        routes(
          'GET /api/v1/seats/mine',
          'HEAD /api/v1/seats/:id',
          'GET /api/v1/seats/:id',
          'POST /api/v1/seats/:id',
          'GET /api/v1/seats/:id/rows',
          'GET /api/v1/seats/:id/*rest',
        ),
      ],
    });
    const rows = plugin('rows', { modules: [routes('GET /api/v1/rows/mine')] });
    const service = await start(seats, rows);
    const routeOf = async (path: string): Promise<object> =>
      (await service.api.send({ method: 'GET', path })).body;
    expect([
      await routeOf('/api/v1/seats/mine'),
      await routeOf('/api/v1/seats/7'),
      await routeOf('/api/v1/seats/7/rows'),
      await routeOf('/api/v1/seats/7/a/b'),
    ]).toEqual(
      ['mine', ':id', ':id/rows', ':id/*rest'].map((end) => ({
        route: `GET /api/v1/seats/${end}`,
      })),
    );
    await service.close();
  });

  test('a module that two plugins import is there once', async () => {
    const shared = routes('GET /api/v1/shared');
    const service = await start(
      plugin('seats', { modules: [moduleOf({ imports: [shared] })] }),
      plugin('rows', { modules: [moduleOf({ imports: [shared] })] }),
    );
    const answer = await service.api.send({ method: 'GET', path: '/api/v1/shared' });
    expect(answer.body).toEqual({ route: 'GET /api/v1/shared' });
    await service.close();
  });

  test('versions of a handler are two routes', () => {
    @Controller('api/v1/seats')
    class VersionedController {
      @Get()
      @Version('1')
      @Public()
      first() {
        return {};
      }

      @Get()
      @Version('2')
      @Public()
      second() {
        return {};
      }
    }
    const seats = plugin('seats', { modules: [moduleOf({ controllers: [VersionedController] })] });
    expect(() => UserGroupServiceModule.forRoot({ plugins: [seats] })).not.toThrow();
  });
});

describe('scopes', () => {
  /** Makes a module with a route that requires `seats:read`. */
  function scopedModule(path: string): Type {
    @Controller(path)
    class ScopedController {
      @Get()
      @RequiresScope(SCOPE)
      @ApiOperation({ operationId: `list ${path}` })
      list() {
        return { path };
      }
    }
    return moduleOf({ controllers: [ScopedController] });
  }

  /** Expects that a caller with the scope gets a response from each path, and one without it none. */
  async function expectScoped(paths: readonly string[], ...plugins: Plugin[]): Promise<void> {
    const service = await start(...plugins);
    const [able, unable] = [
      service.clientOf(await service.issueToken([SCOPE])),
      service.clientOf(await service.issueToken(['user-groups:read'])),
    ];
    for (const path of paths) {
      const request = { method: 'GET', path: `/${path}` };
      expect(await able.send(request)).toMatchObject({ status: 200, body: { path } });
      expect(await unable.send(request)).toMatchObject({ status: 403 });
    }
    await service.close();
  }

  test('a plugin lists those that its handlers require', async () => {
    const modules = [scopedModule('api/v1/seats')];
    await startAndStop(plugin('seats', { modules, scopes: [SCOPE] }));
    await expect(start(plugin('seats', { modules }))).rejects.toThrow(
      'The plugin seats requires the scope seats:read, which no plugin lists; add it to its scopes, or add the plugin that has it.',
    );
  });

  test.each<[string, Parts, Parts]>([
    ['both', { scopes: [SCOPE] }, { scopes: [SCOPE] }],
    ['the first', { scopes: [SCOPE] }, {}],
    ['the second', {}, { scopes: [SCOPE] }],
  ])(
    'of two plugins that import one module, %s can list its scopes',
    async (_which, first, second) => {
      const shared = scopedModule('api/v1/shared');
      const modules = () => [moduleOf({ imports: [shared] })];
      await expectScoped(
        ['api/v1/shared'],
        plugin('seats', { modules: modules(), ...first }),
        plugin('rows', { modules: modules(), ...second }),
      );
    },
  );

  test('a plugin can require the scope of another one, which alone lists it', async () => {
    const seats = plugin('seats', { modules: [scopedModule('api/v1/seats')], scopes: [SCOPE] });
    const modules = [scopedModule('api/v1/rows')];
    const rows = plugin('rows', { modules });
    const paths = ['api/v1/seats', 'api/v1/rows'];
    await expectScoped(paths, seats, rows);
    await expectScoped(paths, rows, seats);
    await expect(start(seats, plugin('rows', { modules, scopes: [SCOPE] }))).rejects.toThrow(
      'Choose another scope. A handler can require this one without a place in the list of its plugin.',
    );
  });
});

class CreateSharedSeat1796000000003 {
  up = (runner: QueryRunner) => runner.query('CREATE TABLE seats_seat (id integer PRIMARY KEY)');
  down = (runner: QueryRunner) => runner.query('DROP TABLE seats_seat');
}

onEachDatabase((kind) => {
  test('two plugins can have one entity class, and each gets its repository', async () => {
    const moduleAt = (path: string) => {
      @Controller(path)
      class SeatController {
        constructor(
          @InjectRepository(SeatEntity, USER_GROUP_DATA_SOURCE)
          private readonly seats: Repository<SeatEntity>,
        ) {}

        @Get()
        @Public()
        @ApiOperation({ operationId: `list ${path}` })
        async list() {
          return { seats: await this.seats.find() };
        }
      }
      return moduleOf({ controllers: [SeatController] });
    };
    const [seats, rows] = ['seats', 'rows'].map((name) =>
      plugin(name, {
        modules: [moduleAt(`api/v1/${name}`)],
        entities: [SeatEntity],
        migrations: name === 'seats' ? [CreateSharedSeat1796000000003] : [],
      }),
    ) as [Plugin, Plugin];
    const service = await startTestService(kind, {}, [rows, seats]);
    await changeDatabase(service.database, 'INSERT INTO seats_seat (id) VALUES (7)');
    for (const path of ['/api/v1/seats', '/api/v1/rows']) {
      const { body } = await service.api.send({ method: 'GET', path });
      expect(body).toEqual({ seats: [{ id: 7 }] });
    }
    await service.close();
  });
});

test('a plugin cannot have one entity class twice', async () => {
  await expect(start(plugin('seats', { entities: [SeatEntity, SeatEntity] }))).rejects.toThrow(
    'The plugin seats has the entity SeatEntity twice; remove or rename one.',
  );
});

test('two plugins of one name, and one plugin twice, do not start', async () => {
  const seats = plugin('seats', {});
  for (const other of [seats, plugin('seats', {})]) {
    await expect(start(seats, other)).rejects.toThrow(
      'There are two declarations of the plugin seats; rename or remove one.',
    );
  }
});

class CreateSeat1796000000001 {
  up = () => Promise.resolve();
  down = () => Promise.resolve();
}

class CreateRow1796000000001 {
  up = () => Promise.resolve();
  down = () => Promise.resolve();
}

test('two migrations of a plugin cannot have one number', async () => {
  const migrations = [CreateSeat1796000000001, CreateRow1796000000001];
  await expect(start(plugin('seats', { migrations }))).rejects.toThrow(
    'The plugin seats has the migration number 1796000000001 twice; remove or rename one.',
  );
});

test('the message about a migration without a number has its name', async () => {
  class CreateSeat {
    up = () => Promise.resolve();
    down = () => Promise.resolve();
  }
  await expect(start(plugin('seats', { migrations: [CreateSeat] }))).rejects.toThrow(
    'The plugin seats has the migration CreateSeat, whose name does not end with a number of 13 digits; rename it, for example to CreateSeat1796000000001.',
  );
});

test('the number of a migration can be in the name that it gives itself', async () => {
  const named = (name: string) =>
    class {
      name = name;
      up = () => Promise.resolve();
      down = () => Promise.resolve();
    };
  const migrations = [named('CreateSeat1796000000001'), named('CreateRow1796000000002')];
  await startAndStop(plugin('seats', { migrations }));
  migrations.push(named('DropRow1796000000002'));
  await expect(start(plugin('seats', { migrations }))).rejects.toThrow(
    'The plugin seats has the migration number 1796000000002 twice; remove or rename one.',
  );
});

onEachDatabase((kind) => {
  test('migrations of two plugins may have one number and one name: each plugin has a record', async () => {
    const migrations = [CreateSeat1796000000001];
    const plugins = ['seats', 'rows'].map((name) => plugin(name, { migrations }));
    const service = await startTestService(kind, {}, plugins);
    for (const { prefix } of plugins) {
      const applied = await service.query<{ name: string }>(`SELECT name FROM ${prefix}migration`);
      expect(applied.map(({ name }) => name)).toEqual(['CreateSeat1796000000001']);
    }
    await service.close();
  });
});

test('a plugin that does not fit changes nothing in the database', async () => {
  let hasRun = false;
  class CreateTable1796000000002 {
    up = () => Promise.resolve(void (hasRun = true));
    down = () => Promise.resolve();
  }
  const seats = plugin('seats', {
    migrations: [CreateTable1796000000002],
    commands: [command('keys')],
  });
  await expect(start(seats)).rejects.toThrow('The plugin seats cannot have the command keys');
  expect(hasRun).toBe(false);
});
