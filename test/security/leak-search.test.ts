import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import { findLeaks } from '../support/jest/leaks.ts';

const ISSUED = generateToken('ugt');
const SECRET = ISSUED.slice(-38);
const SIGNATURE = createHash('sha512').update('a signature').digest('base64url');
const EMBED_TOKEN = `eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhY21lIn0.${SIGNATURE}`;

/** Searches one log and one database. */
function search(log: string, database: string | Buffer): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-leak-search-'));
  const before = process.env['LEAKS_DIRECTORY'];
  process.env['LEAKS_DIRECTORY'] = directory;
  try {
    const tokens = [
      ISSUED,
      EMBED_TOKEN,
      ...Array.from({ length: 1000 }, () => generateToken('ugt')),
    ];
    writeFileSync(join(directory, 'tokens-1'), `${tokens.join('\n')}\n`);
    writeFileSync(join(directory, 'logs-1'), log);
    writeFileSync(join(directory, 'dumps-1'), database);
    const { leaks, ...sizes } = findLeaks();
    expect(sizes).toEqual({
      tokens: 1002,
      logBytes: Buffer.byteLength(log),
      dumpBytes: database.length,
    });
    return leaks;
  } finally {
    if (before === undefined) delete process.env['LEAKS_DIRECTORY'];
    else process.env['LEAKS_DIRECTORY'] = before;
  }
}

test('the secret of a token is found wherever it begins, and whatever stands beside it', () => {
  const PLACES = 45;
  const texts: string[] = [];
  for (let place = 0; place < PLACES; place++) {
    for (const secret of [SECRET, SIGNATURE]) {
      texts.push(
        ' '.repeat(place) + secret,
        `${'x'.repeat(place)}${secret}yz`,
        '\0'.repeat(place) + secret + '\0'.repeat(30),
      );
    }
  }
  const leaks = search(texts.join('\n'), Buffer.from(texts.join('\0')));
  // Each is found as a whole, and by each shorter end that is as long as the secret of another kind.
  const found = PLACES * 3 * (2 + 3);
  expect(leaks.filter((leak) => leak.startsWith('log: '))).toHaveLength(found);
  expect(leaks.filter((leak) => leak.startsWith('database: '))).toHaveLength(found);
  const [only] = search(`before ${SECRET} after`, 'nothing');
  expect(only).toBe('log: before … (cut before the secret)');
});

test('what is no secret of an issued token is not reported', () => {
  const texts = [
    SECRET.slice(0, -1),
    // The end of each kind of token is as long as the shortest secret.
    SECRET.slice(-21),
    `${SECRET.slice(0, 20)} ${SECRET.slice(20)}`,
    SIGNATURE.slice(0, -1),
    generateToken('ugt'),
    EMBED_TOKEN.slice(0, -86),
  ];
  expect(search(texts.join('\n'), texts.join('\0'))).toEqual([]);
});
