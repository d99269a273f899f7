import { Socket } from 'node:net';
import type { Client, ClientConfig, QueryConfig } from 'pg';
import { postgresDriver } from '../drivers.ts';

const CONNECT_LIMIT_MS = 2000;
const RESPONSE_LIMIT_MS = 2000;
const CLOSE_LIMIT_MS = 500;

/** A connection outside the pool, for work that must neither wait for the pool nor take from it. */
export class PostgresConnection {
  private readonly socket = new Socket();
  private readonly client: Client;

  /**
   * @param purpose part of its name in the database's list of connections
   * @param settings of the session
   */
  constructor(
    url: string,
    purpose: string,
    settings: Pick<ClientConfig, 'statement_timeout'> = {},
  ) {
    const address = new URL(url);
    // It would take precedence.
    address.searchParams.delete('application_name');
    this.client = new (postgresDriver().Client)({
      connectionString: address.href,
      application_name: `user-group-service ${purpose}`,
      stream: () => this.socket,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      query_timeout: RESPONSE_LIMIT_MS,
      ...settings,
    });
  }

  /** @param lost called once when the connection has ended, for whatever reason */
  async open(lost: () => void): Promise<void> {
    // Without a listener an error of an idle connection would end the process; `end` reports it too.
    this.client.on('error', () => this.socket.destroy());
    this.client.on('end', lost);
    await this.client.connect();
  }

  /** @throws Error if there is no result within two seconds */
  async query<Row extends object>(query: QueryConfig): Promise<Row[]> {
    return (await this.client.query<Row>(query)).rows;
  }

  onNotification(listener: (payload: string) => void): void {
    this.client.on('notification', ({ payload = '' }) => listener(payload));
  }

  /** Closes the connection; cuts one that does not respond. */
  async close(): Promise<void> {
    const late = setTimeout(() => this.cut(), CLOSE_LIMIT_MS);
    await this.client.end().catch(() => undefined);
    clearTimeout(late);
    this.cut();
  }

  /** Ends the connection at once, and its pending query with an error. */
  cut(): void {
    this.socket.destroy();
  }
}
