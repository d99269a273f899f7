import { Injectable } from '@nestjs/common';
import { DatabaseUnavailable, ServiceError } from '../../common/errors.ts';
import { migrations } from '../migrations/index.ts';
import { statement, Statements } from '../statement.ts';

const listApplied = statement<Record<string, never>, { name: string }>(
  'migration.list-applied',
  () => 'SELECT name FROM migration',
);

/** The migrations that the database has seen. */
@Injectable()
export class AppliedMigrations {
  constructor(private readonly statements: Statements) {}

  /**
   * Finds the migrations of this version that the database lacks; those of a newer version do not
   * matter.
   * @throws DatabaseUnavailable also if it holds no record of migrations at all
   */
  async findPending(): Promise<string[]> {
    const applied = new Set((await this.readApplied()).map(({ name }) => name));
    return migrations.map(({ name }) => name).filter((name) => !applied.has(name));
  }

  private async readApplied(): Promise<{ name: string }[]> {
    try {
      return await this.statements.read(listApplied, {});
    } catch (error) {
      throw error instanceof ServiceError ? error : new DatabaseUnavailable(error);
    }
  }
}
