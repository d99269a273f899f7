import BetterSqlite3 from 'better-sqlite3';
import type { Duplex } from 'node:stream';
import { Connection } from 'pg';
import { TalliedEvents } from '../../../src/core/audit/tally/tallied-events.ts';
import { PostgresChangeFeed } from '../../../src/core/change-log/postgres/postgres-change-feed.ts';
import { EncryptionKeyRepository } from '../../../src/core/encryption-key/encryption-key.repository.ts';
import { WakeableLoop } from '../../../src/platform/common/concurrency/wakeable-loop.ts';
import { LastUse } from '../../../src/platform/database/upkeep/last-use.ts';

/**
 * Round trips to the database, each with the SQL it carries. On PostgreSQL one lasts from the moment
 * a connection begins to wait until all that was sent on it is answered; on SQLite, which is called
 * and not waited for, each statement is one. BEGIN and COMMIT are statements too.
 */
export type RoundTrip = string[];

/**
 * Records the round trips of every connection that this test file opens from now on. It reads the
 * bytes that the PostgreSQL driver writes and wraps what the SQLite driver prepares, so that nothing
 * escapes it, whether TypeORM, a pool or a connection of its own sends it. Call it before the
 * service starts.
 */
export function recordRoundTrips(): RoundTrip[] {
  const roundTrips: RoundTrip[] = [];
  recordPostgres(roundTrips);
  recordSqlite(roundTrips);
  return roundTrips;
}

/**
 * Records as `recordRoundTrips` in a service that does nothing but what calls ask for: its loops and intervals rest,
 * nothing is written late, and no cache is read again because the machine was held up. The change feed goes on:
 * `isOfChangeFeed`.
 */
export function recordCalls(): RoundTrip[] {
  jest.spyOn(WakeableLoop.prototype, 'wake').mockReturnValue(undefined);
  jest.spyOn(globalThis, 'setInterval').mockImplementation(() => setTimeout(() => undefined, 0));
  jest.spyOn(LastUse.prototype, 'record').mockReturnValue(undefined);
  jest.spyOn(TalliedEvents.prototype, 'flush').mockResolvedValue(undefined);
  jest.spyOn(EncryptionKeyRepository.prototype, 'addEncryptions').mockResolvedValue(0);
  keepCachesCurrent();
  return recordRoundTrips();
}

/** Tells whether a statement lets a process know of the changes of others. It is sent at any time. */
export function isOfChangeFeed(sql: string): boolean {
  return /^LISTEN|^SELECT 1$|pg_notify|pg_current_snapshot/.test(sql);
}

/** Keeps the caches of this test file current: on a machine that is held up, calls would read again what is in memory. */
export function keepCachesCurrent(): void {
  jest.spyOn(PostgresChangeFeed.prototype, 'isCurrent').mockReturnValue(true);
}

type ListeningConnection = Connection & { attachListeners: (stream: Duplex) => void };

function recordPostgres(roundTrips: RoundTrip[]): void {
  const prototype = Connection.prototype as ListeningConnection;
  const { attachListeners } = prototype;
  prototype.attachListeners = function (this: Connection, stream: Duplex) {
    recordStream(stream, roundTrips);
    attachListeners.call(this, stream);
  };
}

/** Reads the messages of a connection: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function recordStream(stream: Duplex, roundTrips: RoundTrip[]): void {
  const prepared = new Map<string, string>();
  let bound = '';
  let roundTrip: RoundTrip = [];
  let unanswered = 0;
  const readSent = messagesOf(0, (type, body) => {
    if (type === 'P') {
      const [name, text] = textsIn(body);
      prepared.set(name!, text!);
    }
    if (type === 'B') bound = textsIn(body)[1]!;
    if (type === 'E') roundTrip.push(prepared.get(bound)!);
    if (type === 'Q') roundTrip.push(textsIn(body)[0]!);
    if (type !== 'Q' && type !== 'S') return;
    if (unanswered === 0) roundTrips.push(roundTrip);
    unanswered++;
  });
  const readReceived = messagesOf(1, (type) => {
    if (type !== 'Z') return;
    // The first one says that the session has begun, and answers nothing.
    unanswered = Math.max(0, unanswered - 1);
    if (unanswered === 0) roundTrip = [];
  });
  const write = stream.write.bind(stream) as (chunk: Buffer, ...rest: unknown[]) => boolean;
  Object.assign(stream, {
    write: (chunk: Buffer, ...rest: unknown[]) => {
      readSent(chunk);
      return write(chunk, ...rest);
    },
  });
  stream.on('data', readReceived);
}

/**
 * Cuts the chunks of a stream into messages.
 * @param typeLength of the first message: the one that begins a session has no type, all others do
 */
function messagesOf(
  typeLength: 0 | 1,
  read: (type: string, body: Buffer) => void,
): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let start: number = typeLength;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= start + 4) {
      const end = start + rest.readInt32BE(start);
      if (rest.length < end) return;
      read(rest.toString('latin1', 0, start), rest.subarray(start + 4, end));
      rest = rest.subarray(end);
      start = 1;
    }
  };
}

function textsIn(body: Buffer): string[] {
  return body.toString('utf8').split('\0');
}

type Run = (...values: unknown[]) => unknown;

interface SqliteDatabase {
  prepare: (sql: string) => Record<string, Run>;
  exec: (sql: string) => SqliteDatabase;
}

function recordSqlite(roundTrips: RoundTrip[]): void {
  const { prototype } = BetterSqlite3 as unknown as { prototype: SqliteDatabase };
  const { prepare, exec } = prototype;
  prototype.prepare = function (this: SqliteDatabase, sql) {
    const statement = prepare.call(this, sql);
    for (const name of ['run', 'get', 'all', 'iterate']) {
      const run = statement[name]!.bind(statement);
      statement[name] = (...values) => {
        roundTrips.push([sql]);
        return run(...values);
      };
    }
    return statement;
  };
  prototype.exec = function (this: SqliteDatabase, sql) {
    roundTrips.push([sql]);
    return exec.call(this, sql);
  };
}
