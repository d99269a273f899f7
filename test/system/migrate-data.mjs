import console from 'node:console';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createPostgres, createSqlite } from './lab/databases.mjs';
import { readGroups } from './lab/many-groups.mjs';
import { interrupt, runMeasured } from './migrate-data/command.mjs';

// Shows that `migrate-data` moves many groups from SQLite to PostgreSQL in little memory, and that
// every token, property and mapping is the same afterwards: imports groups, moves them, exports
// them from both databases and compares the exports byte by byte.
//
//   node test/system/migrate-data.mjs [--groups 100000]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

/** The heap is too small for the rows of a whole table; without a limit V8 lets garbage lie. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=96' };

async function main() {
  const count = readGroups();
  const postgresUrl = process.env.TEST_DATABASE_URL;
  if (!postgresUrl) throw new Error('TEST_DATABASE_URL must be set');
  const source = await createSqlite();
  try {
    const target = await createPostgres(postgresUrl);
    try {
      await check(source, withKeysOf(source, target), count);
    } finally {
      await target.drop();
    }
  } finally {
    await source.drop();
  }
}

function withKeysOf(source, { env }) {
  const TOKEN_ENCRYPTION_KEYS_FILE = join(source.dir, 'token-encryption-keys');
  return {
    dir: source.dir,
    env: { DATA_DIR: source.dir, DATABASE_URL: env.DATABASE_URL, TOKEN_ENCRYPTION_KEYS_FILE },
  };
}

async function check(source, target, count) {
  const groups = join(source.dir, 'groups');
  await pipeline(Readable.from(generate(count)), createWriteStream(groups));
  print('import', await runMeasured(source, 'group', 'import', groups));
  const limited = { ...target, env: { ...target.env, ...HEAP } };
  print('migrate-data', await runMeasured(limited, 'migrate-data'));
  const exports = [];
  for (const [name, database] of Object.entries({ source, target })) {
    const path = join(source.dir, `export-of-${name}`);
    print(`export of the ${name}`, await runMeasured(database, 'group', 'export', path));
    exports.push(readFileSync(path));
  }
  const [own, theirs] = exports;
  const lines = own.toString('latin1').split('\n');
  if (lines.filter((line) => line.includes('"token":"ugt_')).length !== count) {
    throw new Error('the source has not exported every token');
  }
  if (!own.equals(theirs)) throw new Error('the exports differ');
  console.log(`${count} groups: both exports are equal, ${own.length} bytes.`);
}

function print(what, { output, seconds, peak }) {
  console.log(`${what}: ${seconds.toFixed(1)} s, at most ${peak.toFixed(0)} MiB of memory`);
  if (output) console.log(output.trimEnd());
}

function* generate(count) {
  for (let number = 1; number <= count; number++) {
    yield `${JSON.stringify({
      user_group_id: `group ${number}`,
      name: `Gruppe ${number} ü 😀`,
      mapping: { sales: `warehouse-${number % 10}`, stock: number },
      properties: {
        region: 'EMEA',
        seats: number,
        share: number / 7,
        note: 'x'.repeat(number % 500),
      },
    })}\n`;
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
main().catch((error) => {
  console.error(`migrate-data: ${error.message}`);
  process.exitCode = 1;
});
