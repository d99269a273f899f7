import { Controller, Get, Module, Post } from '@nestjs/common';
import { controllersIn } from '../../src/server/app/composition.ts';
import { requireConsistent } from '../../src/server/app/consistency.ts';
import { exportMetric } from '../../src/server/app/app.metrics.ts';
import { features } from '../../src/server/app/features.ts';
import { Extensions } from '../../src/platform/common/extension/extensions.ts';
import {
  defineFeature,
  type FeatureDefinition,
} from '../../src/platform/common/extension/feature.ts';
import type { Metric } from '../../src/platform/common/extension/metric.ts';
import { problem } from '../../src/platform/common/problem/problem.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import {
  declareScope,
  definePlugin,
  FromEnv,
  integer,
  Public,
  UserGroupServiceModule,
} from '../../src/server/library/index.ts';

const ABOUT = 'Seats of a group.';

class SeatSettings {
  @FromEnv('SEATS', { about: ABOUT, read: integer(0, 10) })
  seats = 1;
}

class HostSettings {
  @FromEnv('HOST', { about: ABOUT, read: integer(0, 10) })
  seats = 1;
}

class SeatTaken extends problem(409, 'seat_taken', { about: ABOUT }) {}
class SeatReserved extends problem(409, 'seat_taken', { about: ABOUT }) {}
class BodyUnusable extends problem(400, 'body_missing', { about: ABOUT }) {}

class CreateSeat1796000000001 {
  up = () => Promise.resolve();
  down = () => Promise.resolve();
}

@Controller('api/v1/seats/:id')
class SeatController {
  @Get()
  @Public()
  get(): string {
    return '';
  }

  @Post('rows')
  @Public()
  add(): string {
    return '';
  }
}

@Controller('api/v1/seats')
class OtherSeatController {
  @Get(':name')
  @Public()
  find(): string {
    return '';
  }
}

@Module({ controllers: [SeatController] })
class SeatModule {}

@Module({ controllers: [OtherSeatController] })
class OtherSeatModule {}

const require = (...declared: readonly FeatureDefinition[]) =>
  requireConsistent(declared, ({ modules = [] }) => controllersIn(modules));

const feature = (name: string, parts: object) => defineFeature({ name, about: ABOUT, ...parts });

test('the features of the service are consistent', () => {
  expect(() => require(...features)).not.toThrow();
});

test.each([
  ['scope', 'seats:read', { scopes: [declareScope('seats:read')] }],
  ['action', 'seats.assign', { actions: { changing: ['seats.assign'], unchanging: [] } }],
  ['action', 'seats.count', { actions: { changing: [], unchanging: ['seats.count'] } }],
  ['variable', 'SEATS', { settings: SeatSettings }],
  ['table', 'seat', { rights: { seat: 'SELECT' } }],
  ['migration', 'CreateSeat1796000000001', { migrations: [CreateSeat1796000000001] }],
  ['command', 'seat', { commands: [{ name: 'seat', about: '', define: () => undefined }] }],
])('two features cannot have the same %s', (kind, name, parts) => {
  const [seats, rows] = [feature('seats', parts), feature('rows', parts)];
  expect(() => require(seats)).not.toThrow();
  expect(() => require(seats, rows)).toThrow(
    `The feature rows cannot have the ${kind} ${name}: the feature seats has it already.`,
  );
});

test('two features cannot have the same error, even of two classes', () => {
  const seats = feature('seats', { problems: { SeatTaken } });
  expect(() => require(seats)).not.toThrow();
  expect(() => require(seats, feature('rows', { problems: { SeatReserved } }))).toThrow(
    'The feature rows cannot have the error seat_taken: the feature seats has it already.',
  );
});

test('two features cannot have the same route, whatever they call its parameters', () => {
  const seats = feature('seats', { modules: [SeatModule] });
  expect(() => require(seats)).not.toThrow();
  expect(() => require(seats, feature('rows', { modules: [OtherSeatModule] }))).toThrow(
    'The feature rows cannot have the route GET /api/v1/seats/{}: the feature seats has it already.',
  );
});

test('a feature cannot have a variable or an error of every service', () => {
  expect(() => require(feature('seats', { settings: HostSettings }))).toThrow(
    'The feature seats cannot have the variable HOST: the service has it already.',
  );
  expect(() => require(feature('seats', { problems: { BodyUnusable } }))).toThrow(
    'The feature seats cannot have the error body_missing: the service has it already.',
  );
});

test('two features cannot have the same name', () => {
  expect(() => require(feature('seats', {}), feature('seats', {}))).toThrow(
    'There are two declarations of the feature seats.',
  );
});

test.each(['needs', 'uses'])('a feature that %s what is no feature is refused', (member) => {
  expect(() => require(feature('seats', { [member]: ['row'] }))).toThrow(
    `The feature seats ${member} row, which is no feature.`,
  );
});

test('two features cannot have the same metric', () => {
  const metrics = new Metrics();
  const metric: Metric = { type: 'gauge', name: 'seats', help: ABOUT, read: () => 1 };
  const extensions = new Extensions();
  exportMetric(metrics, extensions.named('feature seats'), metric);
  expect(() => {
    exportMetric(metrics, extensions.named('feature rows'), metric);
  }).toThrow(/^the metric seats of the feature rows cannot be exported: .*seats/);
});

test.each([
  [{ name: 'Seats' }, /^The feature Seats needs another name: a letter/],
  [{ name: 'seats', migration: [] }, /^The feature seats has migration; it can have .*migrations/],
])('a declaration such as %j is refused', (parts, message) => {
  expect(() => defineFeature({ about: ABOUT, ...parts })).toThrow(message);
});

describe('a plugin keeps the same rules:', () => {
  const plugin = (name: string, parts: object) =>
    definePlugin({ name, compatibility: '^0.1.0', ...parts });
  const compose = (...plugins: ReturnType<typeof plugin>[]) =>
    UserGroupServiceModule.forRoot({ databaseUrl: undefined, plugins });

  @Controller('api/v1/schemas')
  class SchemaController {
    @Get(':schema')
    @Public()
    get(): string {
      return '';
    }
  }

  @Module({ controllers: [SchemaController] })
  class SchemaModule {}

  test.each([
    [
      'route of the service',
      [plugin('seats', { modules: [SchemaModule] })],
      'The plugin seats cannot have the route GET /api/v1/schemas/{}: the service has it already.',
    ],
    [
      'route of another plugin',
      [plugin('seats', { modules: [SeatModule] }), plugin('rows', { modules: [OtherSeatModule] })],
      'The plugin rows cannot have the route GET /api/v1/seats/{}: the plugin seats has it already.',
    ],
    [
      'command of a feature',
      [plugin('seats', { commands: [{ name: 'keys', about: '', define: () => undefined }] })],
      'The plugin seats cannot have the command keys: the feature key-administration has it already.',
    ],
    [
      'name of another plugin',
      [plugin('seats', {}), plugin('seats', {})],
      'There are two declarations of the plugin seats.',
    ],
  ])('it cannot have the %s', (_kind, plugins, message) => {
    expect(() => compose(...plugins)).toThrow(message);
  });

  test('a route of a feature that is not served is free', () => {
    const plugins = [plugin('seats', { modules: [SchemaModule] })];
    expect(() =>
      UserGroupServiceModule.forRoot({ http: { features: ['core'] }, plugins }),
    ).not.toThrow();
  });
});
