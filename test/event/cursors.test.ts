import { ValidationFailed } from '../../src/platform/common/problem/errors.ts';
import { encryptionKeys } from '../../src/platform/config/secret-readers.ts';
import { KeyRing } from '../../src/core/encryption-key/key-ring.ts';
import { EventCursors } from '../../src/features/event/feed/event-cursors.ts';
import { keyList } from '../system/lab/keys.mjs';

const cursorsWith = (...ids: string[]) =>
  new EventCursors(new KeyRing(encryptionKeys(keyList(...ids))));
const position = JSON.stringify({ snapshot: '100:105:100,103', at: 1_795_000_000_000 });

test('a cursor gives back its position, in its workspace alone', () => {
  const cursors = cursorsWith('k1');
  const cursor = cursors.toCursor(position, 1);
  expect(cursors.toPosition(cursor, 1)).toBe(position);
  expect(() => cursors.toPosition(cursor, 2)).toThrow(ValidationFailed);
});

test('a cursor shows nothing of its position', () => {
  const [one, other] = [position, position.replace('105', '106')].map((text) =>
    cursorsWith('k1').toCursor(text, 1).replace('azE.', ''),
  );
  expect(Buffer.from(one!, 'base64url').toString('latin1')).not.toContain('snapshot');
  expect(one!.slice(0, 60)).not.toBe(other!.slice(0, 60));
});

test('a cursor that was changed anywhere is refused', () => {
  const cursors = cursorsWith('k1');
  const [id, sealed] = cursors.toCursor(position, 1).split('.') as [string, string];
  const bytes = Buffer.from(sealed, 'base64url');
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index]! ^= 1;
    const cursor = `${id}.${changed.toString('base64url')}`;
    expect(() => cursors.toPosition(cursor, 1)).toThrow(ValidationFailed);
  }
  for (const text of ['', '.', `${id}.`, `.${sealed}`, sealed, `${id}.AAAA`, `${id}.${sealed}.x`]) {
    expect(() => cursors.toPosition(text, 1)).toThrow(ValidationFailed);
  }
});

test('a cursor outlives the replacement of its key, and is gone with the key', () => {
  const cursor = cursorsWith('k1').toCursor(position, 1);
  expect(cursorsWith('k2', 'k1').toPosition(cursor, 1)).toBe(position);
  expect(cursorsWith('k2').toPosition(cursor, 1)).toBeUndefined();
});
