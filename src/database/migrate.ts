import type { Migration } from 'typeorm';
import type { Config } from '../config/config';
import { lockTables } from './lock-tables';
import { MigrationSession } from './migration-session';
import type { Tell } from './migration-turn';
import { reachDatabase } from './reach-database';

/**
 * Makes the database ready to serve: reaches it, and runs the pending migrations, one process at a
 * time, so that several replicas may start at once.
 * @returns the names of the migrations that were run
 * @throws OperatorError with one line for the operator
 */
export async function prepareDatabase(
  config: Config,
  tell: Tell = () => undefined,
): Promise<string[]> {
  await reachDatabase(config, tell);
  return MigrationSession.use(config, tell, async (session) => {
    // A start that has nothing to do does not wait for a newer version that migrates.
    const pending = await session.transact(({ executor }) => executor.getPendingMigrations());
    if (pending.length === 0) return [];
    const names = await session.alone(() => runPending(session, tell));
    if (names.length > 0) {
      tell('info', 'migrated the database', { migrations: names.length, last: names.at(-1)! });
    }
    return names;
  });
}

/**
 * Undoes the latest migration; what its tables held is gone.
 * @returns its name, or undefined if there was none
 */
export async function revertMigration(
  config: Config,
  tell: Tell = () => undefined,
): Promise<string | undefined> {
  return MigrationSession.use(config, tell, (session) =>
    session.alone(() =>
      session.transact(async ({ executor, runner }) => {
        const [latest] = await executor.getExecutedMigrations();
        await lockTables(runner);
        await executor.undoLastMigration();
        return latest?.name;
      }),
    ),
  );
}

export interface MigrationState {
  name: string;
  applied: boolean;
}

/** Every migration in order, and whether this database has it. */
export async function listMigrations(
  config: Config,
  tell: Tell = () => undefined,
): Promise<MigrationState[]> {
  return MigrationSession.use(config, tell, (session) =>
    session.transact(async ({ executor, all }) => {
      const applied = new Set((await executor.getExecutedMigrations()).map(({ name }) => name));
      return all.map((name) => ({ name, applied: applied.has(name) }));
    }),
  );
}

/**
 * In their order: those that need it in a transaction which has every table for itself, the others
 * one by one while callers are served. What was done before a failure is not done again.
 */
async function runPending(session: MigrationSession, tell: Tell): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const next = await session.transact(async ({ executor, runner }) => {
      const pending = await executor.getPendingMigrations();
      const first = (await session.servesNobody()) ? -1 : pending.findIndex(isRunAlone);
      const together = first === -1 ? pending : pending.slice(0, first);
      if (together.length > 0) await lockTables(runner);
      for (const migration of together) {
        await executor.executeMigration(migration);
        names.push(migration.name);
      }
      return first === -1 ? undefined : pending[first];
    });
    if (next === undefined) return names;
    tell('info', 'migrating while others are served', { migration: next.name });
    await session.executor.executeMigration(next);
    names.push(next.name);
  }
}

/** Whether it must not be in a transaction: it takes long, and so it is to keep nobody from the tables. */
function isRunAlone({ instance }: Migration): boolean {
  return instance?.transaction === false;
}
