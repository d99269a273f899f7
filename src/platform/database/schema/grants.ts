import type { Client } from 'pg';
import { OperatorError } from '../../common/problem/operator-error.ts';
import type { Plugin } from '../../common/extension/plugin.ts';
import type { Config } from '../../config/config.ts';
import { withClient } from '../postgres/with-client.ts';
import { ownSchema } from './own-schema.ts';

/** Quoted names of plugins' objects in the database. */
interface PluginTables {
  /** Records of their migrations. */
  records: readonly string[];
  tables: readonly string[];
  /** Sequences. */
  numbers: readonly string[];
}

const NO_TABLES: PluginTables = { records: [], tables: [], numbers: [] };

/**
 * Returns the statements with which the owner of the tables lets `role` serve without owning anything. They always
 * grant exactly these rights, whatever the role had before.
 */
export function grantStatements(
  role: string,
  { records, tables, numbers }: PluginTables = NO_TABLES,
  schema = 'public',
): string[] {
  const { rights, numbered } = ownSchema();
  const sequences = numbered.map((table) => `${table}_id_seq`).join(', ');
  return [
    ...records.map((table) => `GRANT SELECT ON ${table} TO ${role}`),
    ...tables.map((table) => `GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${role}`),
    ...numbers.map((sequence) => `GRANT USAGE ON SEQUENCE ${sequence} TO ${role}`),
    `REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `REVOKE ALL ON ${Object.keys(rights).join(', ')} FROM ${role}`,
    ...Object.entries(rights).map(([table, granted]) => `GRANT ${granted} ON ${table} TO ${role}`),
    `REVOKE ALL ON SEQUENCE ${sequences} FROM ${role}`,
    `GRANT USAGE ON SEQUENCE ${sequences} TO ${role}`,
  ];
}

/**
 * Runs these statements, all of them or none, on a migrated database.
 * @throws OperatorError if one fails
 */
export async function grantRights(config: Config, role: string): Promise<void> {
  const connectionString = config.databaseDirectUrl ?? config.databaseUrl;
  try {
    await withClient({ connectionString }, async (client) => {
      const { rows } = await client.query<{ user: string }>('SELECT current_user AS user');
      if (rows[0]?.user === role) throw new Error('it is the one that owns the tables');
      const statements = grantStatements(
        client.escapeIdentifier(role),
        await findTables(client, config.plugins),
        config.databaseSchema,
      );
      // Statements in one text are one transaction.
      await client.query(statements.join(';\n'));
    });
  } catch (error) {
    const { message } = error as Error;
    throw new OperatorError(`The role ${role} cannot be given its rights: ${message}.`, {
      cause: error,
    });
  }
}

/** Finds the tables of plugins by their prefixes. */
async function findTables(client: Client, plugins: readonly Plugin[]): Promise<PluginTables> {
  const { rows } = await client.query<{ name: string; kind: keyof PluginTables }>(
    `SELECT quote_ident(relname) AS name,
       CASE WHEN relkind = 'S' THEN 'numbers' WHEN relname = prefix || 'migration' THEN 'records'
         ELSE 'tables' END AS kind
     FROM pg_class JOIN unnest($1::text[]) AS prefix ON starts_with(relname, prefix)
     WHERE relkind IN ('r', 'S') AND relnamespace = current_schema()::regnamespace
       AND relname <> prefix || 'migration_id_seq'`,
    [plugins.map(({ prefix }) => prefix)],
  );
  const namesOf = (kind: keyof PluginTables) =>
    rows.filter((row) => row.kind === kind).map(({ name }) => name);
  return { records: namesOf('records'), tables: namesOf('tables'), numbers: namesOf('numbers') };
}
