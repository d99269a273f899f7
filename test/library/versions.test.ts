import packageJson from '../../package.json' with { type: 'json' };
import { requireHostVersions } from '../../src/server/library/host-versions.ts';
import { isInRange } from '../../src/platform/common/version.ts';

describe('a range is read as npm reads it', () => {
  test.each([
    ['1.2.3', '^1.2.3', true],
    ['1.2.4', '^1.2.3', true],
    ['1.10.0', '^1.2.3', true],
    ['1.2.2', '^1.2.3', false],
    ['2.0.0', '^1.2.3', false],
    ['0.1.9', '^0.1.2', true],
    ['0.2.0', '^0.1.2', false],
    ['0.0.3', '^0.0.3', true],
    ['0.0.4', '^0.0.3', false],
    ['1.3.0-beta.1', '^1.2.3', false],
    ['1.3.0+build', '^1.2.3', true],
    ['1.3', '^1.2.3', false],
  ])('%s in %s: %s', (version, range, isIn) => {
    expect(isInRange(version, range)).toBe(isIn);
  });

  test.each(['*', '>=1.0.0', '^1', '~1.2.3', ''])('%j is no such range', (range) => {
    expect(() => isInRange('1.2.3', range)).toThrow(RangeError);
  });
});

test('an application with another Nest is told so', () => {
  const name = '@nestjs/core';
  const made = packageJson.dependencies[name];
  expect(() => {
    requireHostVersions();
  }).not.toThrow();
  expect(() => {
    requireHostVersions([{ name, version: '11.1.0' }]);
  }).toThrow(`user-group-service needs @nestjs/core ^${made}, and the application has 11.1.0.`);
  expect(() => {
    requireHostVersions([{ name, version: '13.0.0' }]);
  }).toThrow(/has 13\.0\.0/);
});
