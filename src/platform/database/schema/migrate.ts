import { resolve } from 'node:path';
import type { Migration } from 'typeorm';
import {
  DatabaseUnusable,
  OperatorError,
  OperatorNotFound,
} from '../../common/problem/operator-error.ts';
import type { Config } from '../../config/config.ts';
import { lockTables } from '../migrations/lock-tables.ts';
import { MigrationSession } from './migration-session.ts';
import { type MigrationSet, migrationSets } from './migration-sets.ts';
import type { Notify } from './migration-lock-wait.ts';
import { isThere, reachDatabase, toOperatorError } from './reach-database.ts';
import { warnOfMove } from './start-warnings.ts';

export interface Prepared {
  /** The configuration, completed with facts about the database. */
  config: Config;
  /** The names of the migrations that were run. */
  migrated: string[];
}

/**
 * Prepares the database for serving: waits for it, and runs the pending migrations, one process at a time, so that
 * several replicas may start at once.
 * @throws OperatorError with one line for the operator
 */
export async function prepareDatabase(
  given: Config,
  notify: Notify = () => undefined,
): Promise<Prepared> {
  const config = await reachDatabase(given, notify);
  const migrated: string[] = [];
  for (const set of migrationSets(config)) migrated.push(...(await migrate(config, notify, set)));
  await warnOfMove(config, notify).catch((error: unknown) => {
    throw toOperatorError(config, error);
  });
  return { config, migrated };
}

function migrate(config: Config, notify: Notify, set: MigrationSet): Promise<string[]> {
  return MigrationSession.use(config, notify, set, async (session) => {
    // A start without pending migrations does not wait for a newer version that migrates.
    if ((await session.listStates()).every(({ applied }) => applied)) return [];
    const names = await session.alone(() => runPending(session, notify));
    if (names.length > 0) {
      notify('info', 'migrated the database', { migrations: names.length, last: names.at(-1)! });
    }
    return names;
  });
}

/**
 * Reverts the latest migration of the service, or of a plugin; the data of its tables is lost.
 * @returns its name, or undefined if there was none
 * @throws OperatorError if there is no such plugin with migrations, and like `prepareDatabase`
 */
export async function revertMigration(
  given: Config,
  notify: Notify = () => undefined,
  plugin?: string,
): Promise<string | undefined> {
  const set = migrationSets(given).find((one) => one.plugin === plugin);
  if (!set) throw new OperatorNotFound(`No plugin ${plugin} with migrations is in PLUGINS.`);
  const config = await reachDatabase(given, notify, false);
  if (!isThere(config)) return undefined;
  return MigrationSession.use(config, notify, set, (session) =>
    session.alone(async () => {
      const latest = (await session.listStates()).findLast(({ applied }) => applied);
      if (!latest) return undefined;
      await session.transact(async ({ executor, runner }) => {
        await lockTables(runner);
        await executor.undoLastMigration();
      });
      return latest.name;
    }),
  );
}

/** A migration, and whether the database has it. */
export interface MigrationState {
  name: string;
  /** Its plugin; undefined for the service itself. */
  plugin?: string;
  applied: boolean;
}

/** Lists every migration in order, those of plugins last, and whether this database has it. Changes nothing. */
export async function listMigrations(
  given: Config,
  notify: Notify = () => undefined,
): Promise<MigrationState[]> {
  return (await readStates(given, notify)).states;
}

/**
 * Reaches a database that has every migration, without a change to it.
 * @throws OperatorError if it is empty or lacks a migration
 */
export async function openDatabase(given: Config, notify: Notify): Promise<Config> {
  const { config, states } = await readStates(given, notify);
  const own = states.filter(({ plugin }) => plugin === undefined);
  if (own.every(({ applied }) => !applied)) {
    throw new DatabaseUnusable(
      `${placeOf(config)} has no tables of the service. Is it the right one? The service makes them when it starts, and so do "token create", "workspace create", "group import" and "migration run".`,
    );
  }
  const { length } = states.filter(({ applied }) => !applied);
  if (length === 0) return config;
  throw new DatabaseUnusable(
    `${placeOf(config)} lacks ${length} of the migrations of this version. Start the service, or run "migration run".`,
  );
}

function placeOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return `DATA_DIR ${resolve(dataDir)}`;
  const { hostname, pathname } = new URL(databaseUrl);
  return `The database ${decodeURIComponent(pathname.slice(1))} of DATABASE_URL on ${hostname || 'this machine'}`;
}

async function readStates(
  given: Config,
  notify: Notify,
): Promise<{ config: Config; states: MigrationState[] }> {
  const config = await reachDatabase(given, notify, false);
  const states: MigrationState[] = [];
  for (const set of migrationSets(config)) {
    const { plugin } = set;
    const found = isThere(config)
      ? await MigrationSession.use(config, notify, set, (session) => session.listStates())
      : set.migrations.map(({ name }) => ({ name, applied: false }));
    states.push(...found.map((state) => ({ ...state, ...(plugin !== undefined && { plugin }) })));
  }
  return { config, states };
}

/**
 * Runs the pending migrations in order: some need a transaction that has every table for itself, the others run one by
 * one while callers are served. After a failure the finished ones are not repeated.
 */
async function runPending(session: MigrationSession, notify: Notify): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const next = await session.transact(async ({ executor, runner }) => {
      const pending = await executor.getPendingMigrations();
      const first = (await session.servesNobody()) ? -1 : pending.findIndex(isRunAlone);
      // Checked before anything is changed.
      if (first !== -1 && !session.isOwn) throw sessionNeeded(pending[first]!);
      const together = first === -1 ? pending : pending.slice(0, first);
      if (together.length > 0) await lockTables(runner);
      for (const migration of together) {
        await executor.executeMigration(migration);
        names.push(migration.name);
      }
      return first === -1 ? undefined : pending[first];
    });
    if (next === undefined) return names;
    notify('info', 'migrating while others are served', { migration: next.name });
    await session.executor.executeMigration(next);
    names.push(next.name);
  }
}

function sessionNeeded({ name }: Migration): OperatorError {
  return new OperatorError(
    `The migration ${name} cannot run through the pooler of DATABASE_URL while the database is in use; run "migration run" once with DATABASE_DIRECT_URL, which leads past it.`,
  );
}

/** Whether it must run outside a transaction: it takes long, and must not lock others out of the tables. */
function isRunAlone({ instance }: Migration): boolean {
  return instance?.transaction === false;
}
