import type { Client, ClientConfig } from 'pg';
import { PATIENT_CONNECT_MS } from '../data-source-options.ts';
import { postgresDriver } from '../drivers.ts';

/** Runs `work` on a connection of its own, and closes the connection, which ends a transaction that is still open. */
export async function withClient<T>(
  settings: ClientConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new (postgresDriver().Client)({
    connectionTimeoutMillis: PATIENT_CONNECT_MS,
    ...settings,
  });
  // Without a listener a lost connection would end the process; the statement under way fails, too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
