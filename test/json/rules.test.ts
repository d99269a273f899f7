import type { Type } from '@nestjs/common';
import { getMetadataStorage, IsOptional, Length } from 'class-validator';
import { isDeepStrictEqual } from 'node:util';
import '../../src/server/app/app.module.ts';
import { Rule } from '../../src/platform/common/fields.ts';
import {
  fieldsOf,
  ruleViolations,
  toDto,
  validatorViolations,
} from '../../src/platform/common/json/to-dto.ts';
import type { Violation } from '../../src/platform/common/problem/violation.ts';
import { mulberry32, type Random } from '../support/random.ts';

/** Every DTO of the application: each class that class-validator has heard of. */
const dtos = [
  ...(
    getMetadataStorage() as unknown as { validationMetadatas: Map<Type<object>, unknown> }
  ).validationMetadatas.keys(),
];

const ROUNDS = 1000;

test('there are the DTOs of every body and query', () => {
  const names = dtos.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'UserGroupInput',
      'UserGroupLine',
      'RotateUserGroupTokenRequest',
      'IntrospectionRequest',
      'CreateApiTokenRequest',
      'UserGroupQueryDto',
      'AuditEventQueryDto',
    ]),
  );
});

test.each(dtos.map((type) => [type.name, type] as const))(
  '%s: the rules asked one by one say what class-validator says',
  (_name, type) => {
    const random = mulberry32(42);
    let broken = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const dto = toDto<object>(type, bodyFor(type, random));
      const violations = ruleViolations(dto);
      const expected = validatorViolations(dto);
      if (!isDeepStrictEqual(violations, expected)) {
        expect({ dto, violations }).toEqual({ dto, violations: expected });
      }
      if (violations.length > 0) broken++;
    }
    expect(broken).toBeGreaterThan(0);
  },
);

describe('decorators of class-validator beside the own', () => {
  const rule = (value: unknown, pointer: string): Violation[] =>
    value === 'right' ? [] : [{ pointer, code: 'not_acceptable', detail: 'Not right.' }];

  class Mixed {
    @Rule(rule)
    own?: string;
    @Length(2, 3)
    foreign?: string;
  }
  class Optional {
    @IsOptional()
    @Rule(rule)
    own?: string | null;
  }
  class Twice {
    @Rule(rule)
    @Rule((value, pointer) => rule(value === 'left' ? 'right' : value, pointer))
    own?: string;
  }
  class Bare {
    own?: string;
  }

  test.each([
    [Mixed, { own: 'wrong', foreign: 'x' }, 2],
    [Mixed, { own: 'right', foreign: 'xyzz' }, 1],
    [Optional, { own: null }, 0],
    [Optional, { own: 'wrong' }, 1],
    [Twice, { own: 'left' }, 1],
    [Bare, {}, 1],
  ])('%p with %j', (type, body, count) => {
    const dto = Object.assign(new type(), body);
    expect(ruleViolations(dto)).toEqual(validatorViolations(dto));
    expect(ruleViolations(dto)).toHaveLength(count);
  });
});

/** Some fields left out, some as they may be, most as somebody with bad intentions sends them. */
function bodyFor(type: Type, random: Random): object {
  const body: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const field of fieldsOf(type)) {
    if (random() < 0.3) continue;
    body[field] = HOSTILE[Math.floor(random() * HOSTILE.length)];
  }
  return body;
}

const own = (key: string, value: unknown) =>
  Object.defineProperty({}, key, { value, enumerable: true });

const HOSTILE: unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  1.5,
  1e21,
  2 ** 53,
  NaN,
  Infinity,
  '',
  ' ',
  '0',
  '1',
  'true',
  'acme',
  'a'.repeat(255),
  'a'.repeat(256),
  '\u{1f600}'.repeat(255),
  '\u{1f600}'.repeat(256),
  'ä'.repeat(512),
  '\0',
  'a\u0007b',
  '\ud800',
  '\u202Etxet',
  '__proto__',
  'constructor',
  '2030-12-31T00:00:00Z',
  '2030-02-31T00:00:00Z',
  '0000-00-00',
  'ugt_EXAMPLE4example4EXAMPLE4example4000000',
  'uga_x',
  'https://example.com',
  '10.0.0.0/8',
  "'; DROP TABLE user_group; --",
  '$value $property $target',
  [],
  [1],
  ['acme', 'acme'],
  ['user-groups:read'],
  ['user-groups:read', 'nonsense'],
  ['10.0.0.0/8', '::/0', '300.0.0.0/8'],
  [[[[]]]],
  Array.from({ length: 300 }, (_, index) => String(index)),
  {},
  { sales: 'warehouse', billing: 42 },
  { sales: null, billing: 1.5, '': 'x' },
  own('__proto__', 'x'),
  own('constructor', { prototype: {} }),
  own('toString', 1),
  own('then', 'x'),
  Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`schema-${index}`, index])),
  { text: 'x'.repeat(17_000) },
  JSON.parse('{"a":'.repeat(20) + '1' + '}'.repeat(20)),
  { description: 'x', type: 'string', required: true },
];
