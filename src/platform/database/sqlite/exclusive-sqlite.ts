import { existsSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { DatabaseUnusable, OperatorNotFound } from '../../common/problem/operator-error.ts';
import { createDataSource } from '../create-data-source.ts';
import { exclusiveOptions, sqlitePath } from '../data-source-options.ts';
import { isSqliteBusy } from '../database-errors.ts';
import { sqliteOf, Statements } from '../statements.ts';

/** A consistent, read-only view of the embedded database. Nobody can write until `close`. */
export class ExclusiveSqlite {
  readonly statements: Statements;

  private constructor(private readonly dataSource: DataSource) {
    this.statements = new Statements(dataSource, false);
  }

  /** @throws OperatorError if there is none in `dataDir`, or another process has it open */
  static async open(dataDir: string): Promise<ExclusiveSqlite> {
    const path = sqlitePath(dataDir);
    if (!existsSync(path)) {
      throw new OperatorNotFound(`There is no embedded database in ${dataDir} (${path}).`);
    }
    try {
      return new ExclusiveSqlite(await createDataSource(exclusiveOptions(dataDir)).initialize());
    } catch (error) {
      const reason = isSqliteBusy(error)
        ? 'is open in another process; stop the service first'
        : `cannot be read (${(error as Error).message})`;
      throw new DatabaseUnusable(`The embedded database in ${dataDir} ${reason}.`, {
        cause: error,
      });
    }
  }

  /** Yields the rows one by one, as arrays of their columns; no other query may run before the last one. */
  rows<Row extends unknown[]>(sql: string, ...values: string[]): IterableIterator<Row> {
    return sqliteOf(this.dataSource)
      .prepare<string[], Row>(sql)
      .raw()
      .iterate(...values);
  }

  /** Releases the file unchanged. */
  async close(): Promise<void> {
    sqliteOf(this.dataSource).exec('ROLLBACK');
    await this.dataSource.destroy();
  }
}
