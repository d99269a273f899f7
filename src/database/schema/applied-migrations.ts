import { Injectable } from '@nestjs/common';
import { DatabaseUnavailable, ServiceError } from '../../common/errors.ts';
import { migrations } from '../migrations/index.ts';
import { statement } from '../statement.ts';
import { Statements } from '../statements.ts';

const listApplied = statement<Record<string, never>, { name: string }>(
  'migration.list-applied',
  () => 'SELECT name FROM migration ORDER BY "timestamp", id',
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

  /**
   * Counts those that the database has seen, of whatever version, and those of this version that it lacks.
   * @throws DatabaseUnavailable
   */
  async count(): Promise<{ applied: number; pending: number; latest: string | null }> {
    const applied = (await this.readApplied()).map(({ name }) => name);
    const pending = migrations.filter(({ name }) => !applied.includes(name)).length;
    return { applied: applied.length, pending, latest: applied.at(-1) ?? null };
  }

  private async readApplied(): Promise<{ name: string }[]> {
    try {
      return await this.statements.read(listApplied, {});
    } catch (error) {
      throw error instanceof ServiceError ? error : new DatabaseUnavailable(error);
    }
  }
}
