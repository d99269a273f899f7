import { requireSearch, type Run } from '../support/jest/require-search.ts';

const WHOLE: Run = {
  testPathPatterns: { isSet: () => false },
  onlyChanged: false,
  findRelatedTests: false,
};
const FOUND = { tokens: 1, logBytes: 1, dumpBytes: 1 };

test('a run of all tests passes if it has searched logs and databases for tokens', () => {
  expect(() => {
    requireSearch(WHOLE, FOUND);
  }).not.toThrow();
});

test.each(['tokens', 'logBytes', 'dumpBytes'])('a run of all tests without %s fails', (missing) => {
  expect(() => {
    requireSearch(WHOLE, { ...FOUND, [missing]: 0 });
  }).toThrow('nothing was searched');
});

test.each<[string, Partial<Run>]>([
  ['files', { testPathPatterns: { isSet: () => true } }],
  ['names', { testNamePattern: 'a' }],
  ['changed files', { onlyChanged: true }],
  ['related files', { findRelatedTests: true }],
  ['a part', { shard: {} }],
])('a run of %s may search nothing', (_choice, run) => {
  expect(() => {
    requireSearch({ ...WHOLE, ...run }, { tokens: 1, logBytes: 0, dumpBytes: 0 });
  }).not.toThrow();
});
