import { Controller, Get, Module } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import homeDashboards from '../../examples/extension-module/src/plugin.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import {
  AuditLog,
  declareAction,
  declareScope,
  definePlugin,
  FromEnv,
  integer,
  operator,
  Public,
  RequiresScope,
  Transactor,
  UserGroupServiceModule,
} from '../../src/server/library/index.ts';
import { scopes } from '../../src/platform/common/access/scopes.ts';
import { grantRights } from '../../src/platform/database/schema/grants.ts';
import {
  listMigrations,
  prepareDatabase,
  revertMigration,
} from '../../src/platform/database/schema/migrate.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { ConfigError } from '../../src/platform/config/variable.ts';
import { configOf } from '../../src/server/app/options.ts';
import {
  administer,
  createTestDatabase,
  onEachDatabase,
  onPostgres,
} from '../support/database/databases.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const COMPATIBLE = { compatibility: '^0.1.0' };
const PATH = '/api/v1/home-dashboards/acme';

onEachDatabase((kind) => {
  describe('a plugin with everything', () => {
    let service: TestService;

    beforeAll(async () => {
      service = await startTestService(kind, { HOME_DASHBOARD: 'start' }, [homeDashboards]);
      await service.api.put({ user_group_id: 'acme', name: 'Acme' });
    });

    afterAll(() => service.close());

    const choose = (dashboard: unknown, api = service.api) =>
      api.send({ method: 'PUT', path: PATH, body: { dashboard } });
    const read = (api = service.api) => api.send({ method: 'GET', path: PATH });

    test('its route, its table and its setting are there', async () => {
      expect(await read()).toMatchObject({ status: 200, body: { dashboard: 'start' } });
      expect(await choose('sales')).toMatchObject({ status: 200, body: { dashboard: 'sales' } });
      expect(await choose('sales 2')).toMatchObject({ status: 200 });
      expect(await read()).toMatchObject({ body: { success: 1, dashboard: 'sales 2' } });
    });

    test('bodies and errors are those of the service', async () => {
      expect(await choose('')).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
      expect(await choose(undefined)).toMatchObject({ status: 422 });
      const nobody = { method: 'GET', path: '/api/v1/home-dashboards/nobody' } as const;
      expect(await service.api.send(nobody)).toMatchObject({
        status: 404,
        body: { code: 'user_group_not_found' },
      });
      const wrong = { method: 'POST', path: PATH, body: {} } as const;
      expect((await service.api.send(wrong)).status).toBe(405);
    });

    test('its scopes are given and required like any other', async () => {
      const reader = service.clientOf(await service.issueToken(['dashboards:read' as never]));
      expect((await read(reader)).status).toBe(200);
      expect(await choose('x', reader)).toMatchObject({
        status: 403,
        body: { code: 'insufficient_scope' },
      });
      const other = service.clientOf(await service.issueToken(['user-groups:read']));
      expect((await read(other)).status).toBe(403);
      expect((await read(service.clientOf(undefined))).status).toBe(401);
      for (const given of [['dashboards:write'], [...scopes]]) {
        const body = { name: 'dashboards', scopes: given };
        const issued = await service.api.send({ method: 'POST', path: '/api/v1/api-tokens', body });
        expect([issued.status, issued.body.api_token.scopes.toSorted()]).toEqual([
          201,
          given.toSorted(),
        ]);
      }
    });

    test('another workspace has none of it', async () => {
      const scopes = ['dashboards:read' as never];
      const stranger = service.clientOf(await service.issueToken(scopes, 'stranger'));
      expect((await read(stranger)).status).toBe(404);
    });

    test('it hears of changes', async () => {
      const count = async () =>
        (await service.query<object>('SELECT 1 FROM home_dashboards_choice')).length;
      await choose('sales');
      expect(await count()).toBe(1);
      await service.api.send({ method: 'DELETE', path: '/api/v1/user-groups/acme' });
      await until(async () => (await count()) === 0);
    });

    test('what it does is an audit event of its caller, and an event, of the group', async () => {
      const types = 'home_dashboard.choose';
      const feed = (path: string) => service.api.send({ method: 'GET', path });
      const { next_cursor: after } = (await feed('/api/v1/events?after=latest')).body as {
        next_cursor: string;
      };
      const before = Date.now();
      await service.api.put({ user_group_id: 'acme', name: 'Acme' });
      expect((await choose('costs')).status).toBe(200);
      const audited = await feed(`/api/v1/audit-events?types=${types}&object_id=acme&limit=1`);
      expect(audited.body).toMatchObject({
        audit_events: [
          {
            action: types,
            actor: { type: 'api_token', api_token_id: 1 },
            object: { type: 'user_group', id: 'acme' },
            after: { dashboard: 'costs' },
          },
        ],
      });
      const { id, occurred_at: at } = audited.body.audit_events[0]!;
      expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
      const { body } = await feed(`/api/v1/events?after=${after}&types=home_dashboard.*`);
      expect(body).toMatchObject({
        events: [
          { id, type: types, user_group: { team_id: expect.any(Number), provided_id: 'acme' } },
        ],
      });
      const endpoint = { url: 'https://hooks.example/', event_types: [types] };
      expect(
        await service.api.send({
          method: 'POST',
          path: '/api/v1/webhook-endpoints',
          body: endpoint,
        }),
      ).toMatchObject({ status: 201 });
    });

    test('an event of a group names that group', async () => {
      const record = service.app.get(Transactor).run((manager) =>
        service.app.get(AuditLog).record(manager, operator(1), {
          action: declareAction('home_dashboard.choose'),
          object: { type: 'home_dashboard', id: 5 },
          userGroupId: 1,
        }),
      );
      await expect(record).rejects.toThrow(
        'an entry with a userGroupId has that group as its object',
      );
    });

    test('the OpenAPI document has it', async () => {
      const { body } = await service.api.send({ method: 'GET', path: '/docs-json' });
      const { paths, components } = body as unknown as {
        paths: Record<string, Record<string, object>>;
        components: { schemas: Record<string, object> };
      };
      expect(paths['/api/v1/home-dashboards/{id}']).toMatchObject({
        get: { operationId: 'readHomeDashboard', 'x-required-scopes': ['dashboards:read'] },
        put: { 'x-required-scopes': ['dashboards:write'] },
      });
      expect(components.schemas['HomeDashboardDto']).toMatchObject({ required: ['dashboard'] });
      expect(JSON.stringify(components.schemas['CreateApiTokenRequest'])).toContain(
        'dashboards:read',
      );
    });
  });

  test('its migrations are run after those of the service, and recorded by themselves', async () => {
    const database = await createTestDatabase(kind);
    const service = await startTestService(database, {}, [homeDashboards]);
    await service.close();
    const config = loadConfig(database.env, { plugins: [homeDashboards] });
    const states = await listMigrations(config);
    expect(states.at(-1)).toEqual({
      name: 'CreateHomeDashboards1795100000001',
      plugin: 'home-dashboards',
      applied: true,
    });
    expect(states.at(-2)).not.toHaveProperty('plugin');
    const notify = () => undefined;
    expect(await revertMigration(config, notify, 'home-dashboards')).toBe(
      'CreateHomeDashboards1795100000001',
    );
    expect(await revertMigration(config, notify, 'home-dashboards')).toBeUndefined();
    expect((await listMigrations(config)).filter(({ applied }) => !applied)).toHaveLength(1);
    await expect(revertMigration(config, notify, 'another')).rejects.toThrow(
      'No plugin another with migrations is in PLUGINS.',
    );
    // Without the plugin the service starts as it did before.
    const without = await startTestService(database);
    expect((await without.api.send({ method: 'GET', path: PATH })).status).toBe(404);
    await without.close();
    await database.drop();
  });
});

onPostgres('a role that owns nothing', () => {
  test('gets what plugins need, and not their records of migrations', async () => {
    const database = await createTestDatabase('postgres');
    const role = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
    await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    const config = loadConfig(database.env, { plugins: [homeDashboards] });
    await prepareDatabase(config);
    await grantRights(config, role);
    const url = new URL(config.databaseUrl!);
    [url.username, url.password] = [role, 'secret'];
    const env = { ...database.env, DATABASE_URL: url.href };
    const service = await startTestService({ ...database, env }, {}, [homeDashboards]);
    await service.api.put({ user_group_id: 'acme', name: 'Acme' });
    const body = { dashboard: 'sales' };
    const chosen = await service.api.send({ method: 'PUT', path: PATH, body });
    expect(chosen).toMatchObject({ status: 200, body });
    const writing = service.query('DELETE FROM home_dashboards_migration');
    await expect(writing).rejects.toThrow(/permission denied/);
    await service.close();
    await database.drop();
    await administer(`DROP ROLE ${role}`);
  });
});

test('a route without access rules ends the start, not the first call', async () => {
  @Controller('api/v1/open')
  class ForgottenController {
    @Get()
    find() {
      return { success: 1 };
    }
  }
  @Controller('api/v1/undeclared')
  class UndeclaredController {
    @Get()
    @RequiresScope('nobody:knows' as never)
    find() {
      return { success: 1 };
    }
  }
  @Controller('api/v1/undeclared')
  class AlsoUndeclaredController {
    @Get()
    @RequiresScope('user-groups:read', { also: 'nobody:knows' as never })
    find() {
      return { success: 1 };
    }
  }
  const starting = (controller: new () => object) => {
    @Module({ controllers: [controller] })
    class PluginModule {}
    const plugin = definePlugin({ name: 'open', ...COMPATIBLE, modules: [PluginModule] });
    return startTestService('sqlite', {}, [plugin]);
  };
  await expect(starting(ForgottenController)).rejects.toThrow(
    'A handler needs either @RequiresScope or @Public: ForgottenController.find',
  );
  await expect(starting(UndeclaredController)).rejects.toThrow(
    'A handler requires an undeclared scope: UndeclaredController.find',
  );
  await expect(starting(AlsoUndeclaredController)).rejects.toThrow(
    'A handler requires an undeclared scope: AlsoUndeclaredController.find',
  );
});

test('a service does not start with a plugin that has one of its routes', async () => {
  @Controller('api/user')
  class ShadowController {
    @Get()
    @Public()
    find() {
      return { shadow: true };
    }
  }
  @Module({ controllers: [ShadowController] })
  class ShadowModule {}
  const plugin = definePlugin({ name: 'shadow', ...COMPATIBLE, modules: [ShadowModule] });
  await expect(startTestService('sqlite', {}, [plugin])).rejects.toThrow(
    'The plugin shadow cannot have the route GET /api/user: the feature user-groups has it already. Choose another path.',
  );
});

test('its metrics are exported', async () => {
  const plugin = definePlugin({
    name: 'measured',
    ...COMPATIBLE,
    metrics: () => [
      { type: 'gauge', name: 'measured_things', help: 'Things.', read: () => 7 },
      {
        type: 'histogram',
        name: 'thing_seconds',
        help: 'Age of things.',
        label: 'kind',
        values: ['old', 'new'],
        buckets: [1, 60],
        start: (observe) => {
          observe(7, 'old');
        },
      },
    ],
  });
  const service = await startTestService('sqlite', {}, [plugin]);
  const lines = (await service.app.get(Metrics).registry.metrics()).split('\n');
  expect(lines).toContain('measured_things 7');
  expect(lines).toContain('thing_seconds_bucket{le="1",kind="old"} 0');
  expect(lines).toContain('thing_seconds_bucket{le="60",kind="old"} 1');
  expect(lines).toContain('thing_seconds_count{kind="new"} 0');
  await service.close();
});

test('its settings are judged like those of the service', () => {
  class Settings {
    @FromEnv('SEAT_LIMIT', { about: 'Seats.', read: integer(1, 10) })
    limit = 3;
  }
  const plugin = definePlugin({ name: 'seats', ...COMPATIBLE, settings: Settings });
  const settings = (env: Record<string, string>) =>
    loadConfig(env, { plugins: [plugin] }).settings.at(-1);
  expect(settings({})).toEqual({ limit: 3 });
  expect(settings({ SEAT_LIMIT: '7' })).toEqual({ limit: 7 });
  expect(() => settings({ SEAT_LIMIT: '11' })).toThrow(/^SEAT_LIMIT must/);
  expect(() => settings({ SEAT_LIMT: '1' })).toThrow('did you mean SEAT_LIMIT?');
});

test('its settings may refuse what contradicts, read from the environment or given as values', () => {
  class Seats {
    @FromEnv('SEATS_LEAST', { about: 'Seats.', read: integer(0, 10) })
    least = 3;

    @FromEnv('SEATS_MOST', { about: 'Seats.', read: integer(0, 10) })
    most = 2;

    requireConsistent(): void {
      if (this.least > this.most) throw new Error('SEATS_LEAST exceeds SEATS_MOST');
    }
  }
  const plugins = [definePlugin({ name: 'seats', ...COMPATIBLE, settings: Seats })];
  const refusal =
    'The settings of the plugin seats cannot be used: SEATS_LEAST exceeds SEATS_MOST.';
  const read = (env: Record<string, string>) => loadConfig(env, { plugins }).settings.at(-1);
  expect(() => read({})).toThrow(refusal);
  expect(() => read({})).toThrow(ConfigError);
  expect(() => read({ SEATS_LEAST: '8', SEATS_MOST: '7' })).toThrow(refusal);
  expect(read({ SEATS_MOST: '7' })).toEqual({ least: 3, most: 7 });

  const given = (...pluginSettings: object[]) => configOf({ pluginSettings }, { plugins }).settings;
  const seatsOf = (least: number) => Object.assign(new Seats(), { least });
  expect(() => given()).toThrow(refusal);
  expect(() => given(seatsOf(9))).toThrow(refusal);
  // The defaults, which contradict each other, are not asked.
  expect(given(seatsOf(1)).filter((one) => one instanceof Seats)).toEqual([{ least: 1, most: 2 }]);
});

describe('a definition that cannot be used is refused', () => {
  test.each([
    [{ name: 'Seats' }, /^The plugin Seats needs another name/],
    [{ name: 'seats', compatibility: '^0.2.0' }, /^The plugin seats is made for version \^0.2.0/],
    [{ name: 'seats', compatibility: '^1.0.0' }, /made for version/],
    [{ name: 'seats', compatibility: '*' }, /must declare its compatibility as a range/],
    [
      { name: 'seats', migration: [] },
      /^The plugin seats has migration; it can have name, .*migrations/,
    ],
  ])('%j', (definition, message) => {
    expect(() => definePlugin({ ...COMPATIBLE, ...definition })).toThrow(message);
  });

  test('a variable of the service, or of another plugin', () => {
    class Settings {
      @FromEnv('PORT', { about: 'Seats.', read: integer(0, 10) })
      port = 1;
    }
    class Limits {
      @FromEnv('SEATS', { about: 'Seats.', read: integer(0, 10) })
      seats = 1;
    }
    const seats = (name: string, settings: new () => object) =>
      definePlugin({ name, ...COMPATIBLE, settings });
    const load = (...plugins: ReturnType<typeof seats>[]) => loadConfig({}, { plugins });
    expect(() => load(seats('seats', Settings))).toThrow(
      'PORT is a variable of the service; the plugin seats needs',
    );
    expect(() => load(seats('one', Limits), seats('two', Limits))).toThrow(
      'SEATS is a variable of the plugin one;',
    );
  });

  test('an action of the service, and one that no filter could name', () => {
    for (const name of [
      'user_group.create',
      'seats',
      'Seats.assign',
      'seats.assign.now',
      'seats.assign2',
      '*.*',
      'database.write',
    ]) {
      expect(() => declareAction(name)).toThrow(`A plugin cannot declare the action ${name}`);
    }
    expect(declareAction('seats.assign')).toBe('seats.assign');
  });

  test('a scope of the service', () => {
    expect(() => declareScope('user-groups:read')).toThrow(
      "The scope user-groups:read is the service's own",
    );
  });

  test('what is not made by definePlugin, and what is no feature', () => {
    const made = (options: object) => () => UserGroupServiceModule.forRoot(options);
    expect(made({ plugins: [{ name: 'seats' }] })).toThrow(
      'Each of the plugins must be made by definePlugin.',
    );
    expect(made({ http: { features: ['seats'] } })).toThrow(
      /^http\.features names seats, which is no feature; they are all, core, .*webhooks/,
    );
    expect(made({ http: { features: ['webhooks'], console: true } })).toThrow(
      'The feature console needs the feature user-groups, which http.features leaves out',
    );
  });

  test.each(['user', 'user-group', 'migration', 'webhook'])(
    'the name %s would take tables of the service',
    async (name) => {
      const plugin = definePlugin({ name, ...COMPATIBLE });
      await expect(startTestService('sqlite', {}, [plugin])).rejects.toThrow(
        `The plugin ${name} needs another name`,
      );
    },
  );
});
