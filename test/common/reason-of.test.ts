import { reasonOf } from '../../src/platform/common/problem/reason-of.ts';

test.each<[string, unknown, string]>([
  ['its message, in one line without a full stop', new Error('It is\n  away.'), 'It is away'],
  [
    'the code of an error without a message',
    Object.assign(new Error(''), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
  ],
  ['the name of an error without both', new TypeError(''), 'TypeError'],
  ['a text that was thrown', 'away', 'away'],
  ['anything else as Node shows it', { of: 1 }, '[Object]'],
  ['nothing', undefined, 'undefined'],
])('the reason of what is thrown is %s', (_name, thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});
