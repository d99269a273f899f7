import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as mariadb from 'mariadb';
import { idsOf } from '../lab/packages.mjs';
import { run as runToItsEnd, start, temporaryDirectory } from '../lab/processes.mjs';

const START_TRIES = 200;
const TRY_MS = 50;

/** The settings of a session that change how the server reads a text. */
export const MARIADB_SESSIONS = {
  latin1: { collation: 'LATIN1_SWEDISH_CI' },
  gbk: { collation: 'GBK_CHINESE_CI' },
  ORACLE: { mode: 'ORACLE' },
  MSSQL: { mode: 'MSSQL' },
  ANSI_QUOTES: { mode: 'ANSI_QUOTES' },
  NO_BACKSLASH_ESCAPES: { mode: 'NO_BACKSLASH_ESCAPES' },
};

/**
 * Starts a MariaDB of its own.
 * @param {{ collation?: string, mode?: string }} [session] the character set in which the driver writes texts, and the sql_mode
 */
export async function mariaDb({ collation = 'UTF8MB4_BIN', mode } = {}) {
  const directory = temporaryDirectory();
  const { uid, gid } = idsOf('mysql');
  chownSync(directory, uid, gid);
  const place = ['--no-defaults', '--user=mysql', `--datadir=${join(directory, 'data')}`];
  await runToItsEnd('mariadb-install-db', [
    ...place,
    '--skip-test-db',
    '--auth-root-authentication-method=normal',
  ]);
  const socketPath = join(directory, 'socket');
  const server = start('mariadbd', [
    ...place,
    // It listens to nothing but this socket.
    '--skip-networking',
    `--socket=${socketPath}`,
    `--pid-file=${join(directory, 'pid')}`,
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_bin',
    '--innodb-flush-log-at-trx-commit=0',
    '--skip-log-bin',
    '--max-allowed-packet=64M',
  ]);
  const connection = await connectMariaDb(socketPath, collation, server);
  await connection.query('CREATE DATABASE bound');
  await connection.query('USE bound');
  if (mode) await connection.query(`SET SESSION sql_mode = '${mode}'`);
  return {
    execute: async (text, values = []) =>
      connection.execute({ sql: text, rowsAsArray: true }, values),
    runOnce: (text) => connection.query({ sql: text, rowsAsArray: true }),
    hex: (text) => `LOWER(HEX(${text}))`,
    parametersOf: async (text) => {
      try {
        const prepared = await connection.prepare(text);
        prepared.close();
        return prepared.parameterCount;
      } catch {
        return undefined;
      }
    },
    concat: (...texts) => `CONCAT(${texts.join(', ')})`,
    types: {
      text: 'longtext',
      whole: 'bigint',
      ratio: 'double',
      day: 'date',
      moment: 'datetime(6)',
    },
    casts: { moment: String, text: (one) => `CAST(${one} AS char)` },
    tables:
      'SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1',
    close: async () => {
      await connection.end();
      server.kill('SIGTERM');
      await server.ended;
    },
  };
}

async function connectMariaDb(socketPath, collation, server) {
  for (let tries = 1; ; tries++) {
    try {
      const options = {
        socketPath,
        user: 'root',
        collation,
        bigIntAsNumber: false,
        prepareCacheLength: 16,
      };
      return await mariadb.createConnection(options);
    } catch (error) {
      if (tries === START_TRIES || server.exitCode !== null) {
        throw new Error(`MariaDB does not start: ${server.said}`, { cause: error });
      }
      await sleep(TRY_MS);
    }
  }
}
