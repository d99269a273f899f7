import { Controller, Get, Module, Post } from '@nestjs/common';
import { Entity } from 'typeorm';
import { controllersIn } from '../../src/server/app/module-controllers.ts';
import {
  partsOfFeature,
  partsOfService,
  requireConsistent,
  requireKnownFeatures,
} from '../../src/server/app/consistency/consistency.ts';
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
import { declareScope, FromEnv, integer, Public } from '../../src/server/library/index.ts';

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

@Entity('seat')
class Seat {}

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

const require = (...declared: readonly FeatureDefinition[]) => {
  requireKnownFeatures(declared);
  requireConsistent([
    partsOfService(),
    ...declared.map((one) => partsOfFeature(one, controllersIn(one.modules ?? []))),
  ]);
};

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
  ['migration number', '1796000000001', { migrations: [CreateSeat1796000000001] }],
  ['table', 'seat', { entities: [Seat] }],
  ['command', 'seat', { commands: [{ name: 'seat', about: '', define: () => undefined }] }],
])('two features cannot have the same %s', (kind, name, parts) => {
  const [seats, rows] = [feature('seats', parts), feature('rows', parts)];
  expect(() => require(seats)).not.toThrow();
  expect(() => require(seats, rows)).toThrow(
    `The feature rows cannot have the ${kind} ${name}: the feature seats has it already. Choose another ${kind}.`,
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
    'There are two declarations of the feature seats; rename or remove one.',
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
  }).toThrow(
    'The feature rows cannot have the metric seats: the feature seats exports it already. Choose another name.',
  );
});

test.each([
  [{ name: 'Seats' }, /^The feature Seats needs another name: a letter/],
  [{ name: 'seats', migration: [] }, /^The feature seats has migration; it can have .*migrations/],
])('a declaration such as %j is refused', (parts, message) => {
  expect(() => defineFeature({ about: ABOUT, ...parts })).toThrow(message);
});
