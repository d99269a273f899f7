import { DatabaseUnavailable } from '../../src/platform/common/problem/errors.ts';
import {
  markRefusedConnection,
  translateDatabaseError,
} from '../../src/platform/database/database-errors.ts';

const withCode = (code: string) =>
  Object.assign(new Error('of the database'), { severity: 'ERROR', code });
const isUnavailable = (error: Error) =>
  translateDatabaseError(error) instanceof DatabaseUnavailable;

test.each([
  '25P03',
  '25P04',
  '40002',
  '57P05',
  '58000',
  '58030',
  '58P01',
  'F0000',
  'XX000',
  'XX001',
  'XX002',
  'SQLITE_CORRUPT',
  'SQLITE_CORRUPT_INDEX',
  'SQLITE_NOTADB',
  'SQLITE_PERM',
  'SQLITE_IOERR_READ',
])('%s is a reason of the database', (code) => {
  expect(isUnavailable(withCode(code))).toBe(true);
});

test.each([
  '23505',
  '22P02',
  '42601',
  '42501',
  '42P01',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_ERROR',
])('%s is a defect of the statement', (code) => {
  expect(isUnavailable(withCode(code))).toBe(false);
});

test('any error of opening a connection is a reason of the database', () => {
  expect(isUnavailable(markRefusedConnection(withCode('28P01')))).toBe(true);
  expect(isUnavailable(markRefusedConnection(new Error('self-signed certificate')))).toBe(true);
  expect(isUnavailable(withCode('28P01'))).toBe(false);
});
