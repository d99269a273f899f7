import { DefaultNamingStrategy, Table } from 'typeorm';
import { columnOf } from './dialect.ts';

/** Names columns and constraints as PostgreSQL does: `workspace_id`, `user_group_pkey`, `user_group_workspace_id_fkey`. */
export class PostgresNames extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined): string {
    return given ?? columnOf(property);
  }

  override primaryKeyName(table: Table | string): string {
    return `${nameOf(table)}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return [nameOf(table), ...columns, 'key'].join('_');
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return [nameOf(table), ...columns, 'fkey'].join('_');
  }

  override indexName(table: Table | string, columns: string[]): string {
    return [nameOf(table), ...columns, 'idx'].join('_');
  }
}

function nameOf(table: Table | string): string {
  return table instanceof Table ? table.name : table;
}
