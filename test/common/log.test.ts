import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/platform/common/log.ts';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';

const directory = mkdtempSync(join(tmpdir(), 'log-'));

afterAll(() => {
  rmSync(directory, { recursive: true });
});

test('the log for people has a line for each entry, what is read first in front, and no token', async () => {
  const file = join(directory, 'pretty.log');
  const descriptor = openSync(file, 'w');
  const log = await createLog({ logLevel: 'info', logFormat: 'pretty' }, descriptor);
  const refusal = { status: 401, ms: 0, code: 'credentials_missing' };
  log.info(
    { request_id: 'r', method: 'GET', path: '/a{if}b', ...refusal, address: '127.0.0.1' },
    'request',
  );
  log.info({ method: null, status: { code: 7 }, path: '' }, 'of a plugin');
  log.warn({ context: generateToken('uga') }, 'strange');
  closeSync(descriptor);
  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines.map((line) => line.replace(/^\[.*?\] /, ''))).toEqual([
    'INFO: request GET /a{if}b 401 0 credentials_missing {"request_id":"r","address":"127.0.0.1"}',
    'INFO: of a plugin null  {"code":7}',
    expect.stringMatching(/^WARN: strange \{"context":"uga_[^A-Za-z0-9]/),
    '',
  ]);
});
