import { Client } from 'pg';

/** Says once which databases the tests run on; one that was asked for must be there. */
export default async function globalSetup(): Promise<void> {
  const url = process.env['TEST_DATABASE_URL'];
  if (!url) {
    process.stdout.write('Tests run on SQLite only: TEST_DATABASE_URL is not set.\n');
    return;
  }
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  await client.end();
  process.stdout.write('Tests run on SQLite and on PostgreSQL.\n');
}
