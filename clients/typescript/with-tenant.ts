import { TenantError } from './tenant-error.js';
import { SETTING, settingOf, type Tenant } from './tenant-setting.js';

/** A connection to PostgreSQL, such as a `Client` of the package `pg`. */
export interface TenantClient {
  query: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;
  /** Ends the connection; without it one that is in an unknown state is left to you. */
  end?: () => Promise<void>;
  on?: (event: 'error', listener: (error: Error) => void) => unknown;
  removeListener?: (event: 'error', listener: (error: Error) => void) => unknown;
}

/** Connections to PostgreSQL, such as a `Pool` of the package `pg`. */
export interface TenantPool {
  /** Tells a pool from a client: statements of one transaction must not go to several connections. */
  readonly totalCount: number;
  connect: () => Promise<TenantClient & { release: (isToBeEnded?: boolean) => void }>;
}

/** The only way to the database for the work of a viewer. It ends with the transaction. */
export interface TenantQueries {
  /** @throws TenantError after the transaction, and whatever the driver throws */
  query: (
    text: string,
    values?: readonly unknown[],
  ) => Promise<{ rows: Record<string, unknown>[] }>;
}

/** Clients on which a transaction is under way, and what works got for it. */
const busy = new WeakSet();

/**
 * Runs queries as a viewer, in one transaction, for row-level security of PostgreSQL. Policies read the viewer by
 * `current_setting('user_groups.viewer')::jsonb`, which has `group_id`, `team_id`, `user_id` and `variables`. The setting ends
 * with the transaction, whatever happens, so no other viewer ever gets it with the connection: a connection that could not
 * be rolled back is ended. It works behind PgBouncer in transaction mode.
 * @param client a pool, or a client that no transaction is under way on
 * @param viewer the result of `viewerOf`
 * @param work gets what queries as the viewer; the transaction is committed once its promise is fulfilled
 * @returns the result of the work
 * @throws TenantError if the viewer is null or incomplete, if a transaction is under way already, or if the work has ended the
 *   transaction by itself
 * @throws the error of the work, or of the database; then everything is rolled back
 */
export async function withTenant<T>(
  client: TenantClient | TenantPool,
  viewer: Tenant,
  work: (tenant: TenantQueries) => T | Promise<T>,
): Promise<T> {
  const setting = settingOf(viewer);
  if (!('totalCount' in client)) {
    const transaction = new TenantTransaction(client, setting);
    try {
      return await transaction.run(work);
    } finally {
      if (transaction.isToBeEnded) endSoon(client);
    }
  }
  const own = await client.connect();
  const transaction = new TenantTransaction(own, setting);
  try {
    return await transaction.run(work);
  } finally {
    // A connection of the pool on which something was under way before is of no use either.
    own.release(transaction.isToBeEnded || !transaction.hasBegun);
  }
}

class TenantTransaction {
  hasBegun = false;
  /** Whether it is unknown what is left on the connection. */
  isToBeEnded = false;
  private isOver = false;

  constructor(
    private readonly client: TenantClient,
    private readonly setting: string,
  ) {}

  async run<T>(work: (tenant: TenantQueries) => T | Promise<T>): Promise<T> {
    const { client } = this;
    if (busy.has(client)) throw busyError();
    busy.add(client);
    // Else a connection that breaks between two queries would end the process.
    const onError = () => {
      this.isToBeEnded = true;
    };
    client.on?.('error', onError);
    try {
      await this.requireNone();
      this.hasBegun = true;
      return await this.commit(work);
    } catch (error) {
      if (this.hasBegun) await this.rollBack();
      throw error;
    } finally {
      client.removeListener?.('error', onError);
      busy.delete(client);
    }
  }

  /** Looks whether a transaction is under way: its time is that of its beginning. @throws TenantError */
  private async requireNone(): Promise<void> {
    const { rows } = await this.client.query('SELECT now() = statement_timestamp() AS is_first');
    if (!(rows[0] as { is_first: boolean }).is_first) throw busyError();
  }

  private async commit<T>(work: (tenant: TenantQueries) => T | Promise<T>): Promise<T> {
    const { client, setting } = this;
    await client.query('BEGIN');
    await client.query('SELECT set_config($1, $2, true)', [SETTING, setting]);
    let result: T;
    try {
      result = await work(this.queries());
    } finally {
      this.isOver = true;
    }
    // A failed statement that the work has caught ends here as well: COMMIT would roll back without an error.
    const { rows } = await client.query('SELECT current_setting($1, true) AS setting', [SETTING]);
    if ((rows[0] as { setting: string | null }).setting !== setting) {
      this.isToBeEnded = true;
      throw new TenantError('transaction_ended', 'the work has ended its transaction by itself');
    }
    await client.query('COMMIT');
    return result;
  }

  /** Gives the work its queries: later ones would be those of the next viewer. */
  private queries(): TenantQueries {
    const query = async (text: string, values: readonly unknown[] = []) => {
      if (this.isOver) throw new TenantError('transaction_ended', 'the transaction is over');
      if (typeof text !== 'string') throw new TypeError('a query is a text');
      return this.client.query(text, [...values]) as ReturnType<TenantQueries['query']>;
    };
    const queries: TenantQueries = { query };
    busy.add(queries);
    return queries;
  }

  private async rollBack(): Promise<void> {
    try {
      await this.client.query('ROLLBACK');
    } catch {
      this.isToBeEnded = true;
    }
  }
}

function busyError(): TenantError {
  return new TenantError('connection_busy', 'a transaction is under way on this connection');
}

/** Nothing waits for a connection that may be dead; a pool takes none back that is being ended. */
function endSoon(client: TenantClient): void {
  client.end?.().catch(() => undefined);
}
