import type { Config } from '../../config/config.ts';
import { isPostgresError } from '../database-errors.ts';
import { postgresDriver } from '../drivers.ts';

/** Another process has made it in between. */
const IS_THERE = ['23505', '42P06'];

/** Makes the schema of `DATABASE_SCHEMA`, unless it is there: a role that only serves could not. */
export async function makeSchema({ databaseUrl, databaseSchema: schema }: Config): Promise<void> {
  if (schema === undefined) return;
  const client = new (postgresDriver().Client)({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 2000,
  });
  // Without a listener an error after the connection is made would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ isThere: boolean }>(
      'SELECT to_regnamespace($1) IS NOT NULL AS "isThere"',
      [schema],
    );
    if (!rows[0]!.isThere) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`);
  } catch (error) {
    if (!isPostgresError(error) || !IS_THERE.includes(error.code!)) throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
