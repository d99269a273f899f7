import { fromMessage, toMessages } from '../../src/core/change-log/postgres/change-message.ts';

const LARGEST = 2 ** 31 - 1;

test('every change arrives, in messages that PostgreSQL takes', () => {
  const changes = Array.from({ length: 1001 }, (_, index) => ({
    workspaceId: LARGEST,
    userGroupId: LARGEST - index,
  }));
  const messages = toMessages('01234567-89ab-4cde-8f01-23456789abcd', changes);
  for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThan(8000);
  expect(messages.flatMap((message) => fromMessage(message)!.changes)).toEqual(changes);
});

test('a change of a whole workspace stays one', () => {
  const [message] = toMessages('me', [{ workspaceId: 7, of: 'user_groups' }]);
  expect(fromMessage(message!)).toEqual({
    from: 'me',
    changes: [{ workspaceId: 7, of: 'user_groups' }],
  });
});

test.each([
  '',
  'x',
  'null',
  '7',
  '[]',
  '{}',
  '{"from":1,"changes":[]}',
  '{"from":"a"}',
  '{"from":"a","changes":{}}',
  '{"from":"a","changes":[1]}',
  '{"from":"a","changes":[[]]}',
  '{"from":"a","changes":[[1,2,3]]}',
  '{"from":"a","changes":[["1",2]]}',
  '{"from":"a","changes":[[1.5]]}',
  '{"from":"a","changes":[[1,null]]}',
  '{"from":"a","changes":[{"length":1,"0":1}]}',
  '{"__proto__":{"from":"a","changes":[]}}',
  '['.repeat(7999),
])('no message: %p', (text) => {
  expect(fromMessage(text.slice(0, 7999))).toBeUndefined();
});
