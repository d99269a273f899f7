import type { Client, DatabaseError } from 'pg';
import { DatabaseUnavailable } from '../../../platform/common/problem/errors.ts';
import {
  DatabaseUnusable,
  OperatorError,
  OperatorRefusal,
} from '../../../platform/common/problem/operator-error.ts';
import type { Config } from '../../../platform/config/config.ts';
import { NO_LIMITS, RECORDS_CHANGES } from '../../../platform/database/data-source-options.ts';
import {
  isPostgresError,
  translateDatabaseError,
} from '../../../platform/database/database-errors.ts';
import { ExclusiveSqlite } from '../../../platform/database/sqlite/exclusive-sqlite.ts';
import { requireFirstMigration } from '../../../platform/database/schema/first-migration.ts';
import { prepareDatabase } from '../../../platform/database/schema/migrate.ts';
import { ownSchema } from '../../../platform/database/schema/own-schema.ts';
import { requireOneDatabase } from '../../../platform/database/schema/one-database.ts';
import type { Statements } from '../../../platform/database/statements.ts';
import { continueCounting, copyTable, type MovedTable, readBack } from './table-copy.ts';
import { namesOfTables, quote, readLayouts, type TableLayout } from './table-layout.ts';
import { loadDriver } from '../../../platform/database/drivers.ts';
import { withClient } from '../../../platform/database/postgres/with-client.ts';

export interface MoveSteps {
  /** Called before anything is written; throws if the data would be unusable afterwards. */
  checkSource: (source: Statements) => Promise<void>;
  /** Called with the completed share, from 0 to 1. */
  onProgress: (share: number) => void;
}

/**
 * Spreads the changes, which have no number in the embedded database, over those of ended transactions, in their order.
 * Readers ask by these numbers, and get all changes of a number at once.
 */
const NUMBER_CHANGES = `
  UPDATE change_event SET transaction_id = 1 + numbered.before * (numbered.running - 1) / numbered.total
  FROM (
    SELECT id, row_number() OVER (ORDER BY id) - 1 AS before, count(*) OVER () AS total,
      CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS running
    FROM change_event
  ) numbered
  WHERE numbered.id = change_event.id`;

const LOCK_WAIT_MS = 5000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Conditions for the rows that the migrations themselves insert into an empty database. */
const MIGRATED_ROWS: Record<string, string> = {
  sweep_time: 'id = 1',
  workspace: "id = 1 AND name = 'default'",
};

/**
 * Copies everything from the embedded database in `dataDir` into the PostgreSQL of `config`, with every id, and
 * compares it there; the source stays unchanged. The target gets all of it in one transaction or nothing. Meanwhile
 * nobody can write to either.
 * @throws OperatorError with one line for the operator; the target is then as empty as before
 */
export async function migrateData(
  config: Config,
  dataDir: string,
  { checkSource, onProgress }: MoveSteps,
): Promise<MovedTable[]> {
  const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl;
  if (databaseUrl === undefined) {
    throw new OperatorError('DATABASE_URL must name the PostgreSQL that the data is to move to.');
  }
  await loadDriver({});
  await loadDriver(config);
  const source = await ExclusiveSqlite.open(dataDir);
  try {
    requireThisVersion(source, dataDir);
    await checkSource(source.statements);
    // Checked before the migrations: a database named by mistake must not be migrated either.
    await inTransaction(databaseUrl, async (target) => {
      await requireOneDatabase(config);
      await requireNotNewer(target);
      await requireNoData(target, namesOfTables(source));
    });
    await prepareDatabase(config);
    return await inTransaction(databaseUrl, async (target) => {
      await requireNotNewer(target);
      const tables = await readLayouts(source, target);
      await claim(target, tables);
      const moved = await move(source, target, tables, onProgress);
      await target.query(NUMBER_CHANGES);
      for (const table of tables) await continueCounting(source, target, table);
      // Otherwise the first queries would be planned for empty tables.
      await target.query(`ANALYZE ${listOf(tables)}`);
      return moved;
    });
  } finally {
    await source.close();
  }
}

function requireThisVersion(source: ExclusiveSqlite, dataDir: string): void {
  const hasRecord = source.rows("SELECT 1 FROM sqlite_schema WHERE name = 'migration'");
  const applied =
    [...hasRecord].length > 0
      ? [...source.rows<[string]>('SELECT name FROM migration')].flat()
      : [];
  requireFirstMigration(applied);
  const lacks = ownSchema().migrations.find(({ name }) => !applied.includes(name));
  if (lacks) {
    throw new OperatorError(
      `The embedded database in ${dataDir} lacks the migration ${lacks.name}; start this version of the service on it once.`,
    );
  }
  requireKnown(applied, `The embedded database in ${dataDir}`);
}

async function requireNotNewer(target: Client): Promise<void> {
  if (!(await isThere(target, 'migration'))) return;
  const { rows } = await target.query<{ name: string }>('SELECT name FROM migration');
  const applied = rows.map(({ name }) => name);
  requireKnown(applied, 'The PostgreSQL of DATABASE_URL');
}

function requireKnown(applied: string[], database: string): void {
  const known = new Set(ownSchema().migrations.map(({ name }) => name));
  if (applied.every((name) => known.has(name))) return;
  throw new OperatorError(
    `${database} is of another version of the service, or another program’s; use that version, or another database.`,
  );
}

async function inTransaction<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const settings = {
    connectionString: url,
    application_name: 'user-group-service migrate-data',
    keepAlive: true,
  };
  let failure = 'The data could not be moved, and nothing was';
  try {
    return await withClient(settings, async (client) => {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      const result = await work(client);
      failure =
        'PostgreSQL has not confirmed the move; repeat it, and if it then has data already, it was whole';
      await client.query('COMMIT');
      return result;
    });
  } catch (error) {
    const isReported = isPostgresError(error);
    if (!isReported && !(translateDatabaseError(error) instanceof DatabaseUnavailable)) throw error;
    const { message } = error as Error;
    throw new DatabaseUnusable(`${failure} (${message}).`, { cause: error });
  }
}

/** Locks out other writers, and makes sure that the tables are empty. */
async function claim(target: Client, tables: TableLayout[]): Promise<void> {
  await target.query(NO_LIMITS.inTransaction);
  await target.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  // The record of changes is moved unchanged.
  await target.query(`SET LOCAL ${RECORDS_CHANGES} = 'on'`);
  try {
    await target.query(`LOCK TABLE ${listOf(tables)} IN EXCLUSIVE MODE`);
  } catch (error) {
    if ((error as DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new OperatorRefusal(
      'The PostgreSQL of DATABASE_URL is being written to; stop what uses it first.',
      {
        cause: error,
      },
    );
  }
  await requireNoData(
    target,
    tables.map(({ name }) => name),
  );
  for (const name of Object.keys(MIGRATED_ROWS)) await target.query(`DELETE FROM ${quote(name)}`);
}

/** Requires the existing tables to be empty. */
async function requireNoData(target: Client, names: string[]): Promise<void> {
  for (const name of names) {
    if (!(await isThere(target, name))) continue;
    const others = `SELECT FROM ${quote(name)} WHERE NOT (${MIGRATED_ROWS[name] ?? 'false'})`;
    const { rowCount } = await target.query(`${others} LIMIT 1`);
    if (rowCount === 0) continue;
    throw new OperatorRefusal(
      `The PostgreSQL of DATABASE_URL has data already, in the table "${name}"; name an empty database.`,
    );
  }
}

async function isThere(target: Client, table: string): Promise<boolean> {
  const { rows } = await target.query<{ isThere: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS "isThere"',
    [quote(table)],
  );
  return rows[0]!.isThere;
}

async function move(
  source: ExclusiveSqlite,
  target: Client,
  tables: TableLayout[],
  onProgress: (share: number) => void,
): Promise<MovedTable[]> {
  let total = 0;
  for (const { name } of tables) {
    const [[count]] = [...source.rows<[number]>(`SELECT count(*) FROM ${quote(name)}`)] as [
      [number],
    ];
    // Each row is read twice: to be copied, and to be compared.
    total += 2 * count;
  }
  let done = 0;
  const advance = (rows: number) => {
    done += rows;
    onProgress(done / total);
  };
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const copied = await copyTable(source, target, table, advance);
    const stored = await readBack(target, table, advance);
    if (stored.rows !== copied.rows || stored.digest !== copied.digest) {
      throw new OperatorError(
        `The table "${table.name}" is not the same in PostgreSQL (rows copied: ${copied.rows}, rows there: ${stored.rows}); nothing was moved.`,
      );
    }
    moved.push(copied);
  }
  return moved;
}

function listOf(tables: TableLayout[]): string {
  return tables.map(({ name }) => quote(name)).join(', ');
}
