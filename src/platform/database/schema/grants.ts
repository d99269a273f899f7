import type { Client } from 'pg';
import { OperatorError } from '../../common/problem/operator-error.ts';
import type { Plugin } from '../../common/extension/plugin.ts';
import type { Config } from '../../config/config.ts';
import { withClient } from '../postgres/with-client.ts';

/** The rights on each table that the service uses, and so those of a role that only serves. */
export const RIGHTS: Record<string, string> = {
  activity: 'SELECT, INSERT, UPDATE, DELETE',
  api_token: 'SELECT, INSERT, UPDATE',
  audit_event: 'SELECT, INSERT, DELETE',
  change_event: 'SELECT, INSERT, DELETE',
  change_removal: 'SELECT, INSERT, UPDATE',
  console_session: 'SELECT, INSERT, UPDATE, DELETE',
  data_source_mapping: 'SELECT, INSERT, UPDATE, DELETE',
  encryption_key: 'SELECT, INSERT, UPDATE',
  ended_token: 'SELECT, INSERT',
  event_consumer: 'SELECT, INSERT, UPDATE',
  idempotency_key: 'SELECT, INSERT, UPDATE, DELETE',
  idempotent_response: 'SELECT, INSERT, UPDATE, DELETE',
  migration: 'SELECT',
  registered_data_source: 'SELECT, INSERT, UPDATE, DELETE',
  registered_schema: 'SELECT, INSERT, UPDATE, DELETE',
  reminder: 'SELECT, INSERT, DELETE',
  revoked_embed_token: 'SELECT, INSERT, DELETE',
  sweep_time: 'SELECT, UPDATE',
  user_group: 'SELECT, INSERT, UPDATE, DELETE',
  // The owner's rights delete the tokens of a deleted group.
  user_group_token: 'SELECT, INSERT, UPDATE',
  user_group_version: 'SELECT, INSERT, DELETE',
  // The owner's rights delete the attempts of a deleted delivery.
  webhook_attempt: 'SELECT, INSERT',
  webhook_backlog: 'SELECT, INSERT, UPDATE, DELETE',
  webhook_delivery: 'SELECT, INSERT, UPDATE, DELETE',
  webhook_endpoint: 'SELECT, INSERT, UPDATE, DELETE',
  webhook_progress: 'SELECT, INSERT, UPDATE',
  webhook_replay: 'SELECT, INSERT, UPDATE, DELETE',
  workspace: 'SELECT, INSERT, UPDATE',
  workspace_history: 'SELECT, INSERT, DELETE',
};

/** Tables whose rows are numbered by a sequence. */
export const NUMBERED = [
  'api_token',
  'audit_event',
  'change_event',
  'registered_data_source',
  'registered_schema',
  'user_group',
  'webhook_delivery',
  'workspace',
];

const sequences = NUMBERED.map((table) => `${table}_id_seq`).join(', ');

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
  return [
    ...records.map((table) => `GRANT SELECT ON ${table} TO ${role}`),
    ...tables.map((table) => `GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${role}`),
    ...numbers.map((sequence) => `GRANT USAGE ON SEQUENCE ${sequence} TO ${role}`),
    `REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `REVOKE ALL ON ${Object.keys(RIGHTS).join(', ')} FROM ${role}`,
    ...Object.entries(RIGHTS).map(([table, rights]) => `GRANT ${rights} ON ${table} TO ${role}`),
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
