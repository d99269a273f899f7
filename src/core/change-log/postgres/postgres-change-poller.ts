import { Logger } from '@nestjs/common';
import type { DatabaseError } from 'pg';
import { handled } from '../../../platform/common/concurrency/handled.ts';
import { databaseClock, type Moment, moment } from '../../../platform/common/time.ts';
import { SERVER_TIME } from '../../../platform/database/dialect.ts';
import type { Change, ChangeListener } from '../change-feed.ts';
import { PostgresConnection } from '../../../platform/database/postgres/postgres-connection.ts';
import { keepReconnecting, rest } from '../../../platform/database/postgres/reconnecting.ts';
import { openIn, SERVER, xmaxOf } from './snapshot.ts';

/** Interval between the starts of two polls. */
const EVERY_MS = 300;
/** A change must be known everywhere within a second. */
const LEASE_MS = 750;
/** A later result gives no lease; and PostgreSQL must not work for a client that is gone. */
const STATEMENT_LIMIT_MS = 700;
const QUERY_CANCELED = '57014';
/** Beyond this number the caches are cleared instead. */
const MAX_CHANGES = 5000;
/** After a longer gap some changes may have been removed unread. */
const MAX_GAP_MS = 600_000;

/**
 * Reads the changes that were committed since the last poll: those of transactions that were open then, or have begun
 * since. None can be missed, in whatever order they commit, and a long transaction delays no other. Numbers from the
 * current `xmax` on belong to another cluster; a restored backup contains them.
 */
const POLL = `
  WITH now AS (SELECT pg_current_snapshot() AS snapshot, CAST($1 AS pg_snapshot) AS last)
  SELECT CAST(now.snapshot AS text) AS snapshot,
    ${SERVER} AS server, ${SERVER_TIME} AS told,
    c.kind, c.workspace_id AS "workspaceId", c.user_group_id AS "userGroupId"
  FROM now LEFT JOIN LATERAL (
    SELECT kind, workspace_id, user_group_id FROM change_event
    WHERE transaction_id >= ${xmaxOf('now.last')} AND transaction_id < ${xmaxOf('now.snapshot')}
    UNION
    SELECT kind, workspace_id, user_group_id FROM change_event
    WHERE transaction_id = ANY(ARRAY(SELECT ${openIn('now.last')}))
    LIMIT ${MAX_CHANGES + 1}) AS c ON true`;

interface Row {
  /** The snapshot of the poll, from which the next one starts. */
  snapshot: string;
  /** Snapshots are valid on this server only. */
  server: string;
  /** The time of the server's clock. */
  told: number;
  /** Null if nothing has changed. */
  kind: string | null;
  workspaceId: number | null;
  userGroupId: number | null;
}

/**
 * Polls the changes of all processes, including this one, and so knows for how long nothing else can have changed. Uses
 * no session state, so a pooler may lie between.
 */
export class PostgresChangePoller {
  private readonly logger = new Logger('ChangeFeed');
  private readonly ending = new AbortController();
  private running: Promise<void> | undefined;
  private connection: PostgresConnection | undefined;
  private position: Pick<Row, 'snapshot' | 'server'> | undefined;
  /** Time when the last successful poll was sent. */
  private sentAt: Moment | undefined;
  /** Undefined until the first poll has succeeded or failed. */
  private isPolling: boolean | undefined;

  /** @param isPooled whether session state is unavailable */
  constructor(
    private readonly url: string,
    private readonly isPooled: boolean,
    private readonly listener: ChangeListener,
  ) {}

  /** Whether everything that was committed at least 750 ms ago has been invalidated. */
  hasLease(): boolean {
    return this.sentAt !== undefined && isWithin(this.sentAt, LEASE_MS);
  }

  start(): void {
    this.running ??= handled(keepReconnecting(this.ending.signal, () => this.pollUntilLost()));
  }

  /** Stops polling, without waiting for a result. */
  async close(): Promise<void> {
    this.ending.abort();
    this.connection?.cut();
    await this.running;
  }

  /** Polls until the connection is lost or the poller is closed. Resolves to whether it ever polled; never rejects. */
  private async pollUntilLost(): Promise<boolean> {
    const connection = new PostgresConnection(
      this.url,
      'poll',
      this.isPooled ? {} : { statement_timeout: STATEMENT_LIMIT_MS },
    );
    this.connection = connection;
    let wasPolling = false;
    try {
      await connection.open(() => undefined);
      // Changes that were lost with the last connection are unknown.
      this.position = undefined;
      for (;;) {
        const began = moment();
        const cancelled = await this.poll(connection, began);
        this.setPolling(!cancelled, cancelled);
        wasPolling = true;
        const left = EVERY_MS - (performance.now() - began.monotonic);
        if (!(await rest(Math.max(0, left), this.ending.signal))) return true;
      }
    } catch (err) {
      this.setPolling(false, err);
    } finally {
      await connection.close();
    }
    return wasPolling;
  }

  /** @returns the error if PostgreSQL has taken too long; the next poll repeats this one */
  private async poll(connection: PostgresConnection, began: Moment): Promise<unknown> {
    const { position, sentAt } = this;
    let rows: Row[];
    try {
      rows = await this.ask(connection, position?.snapshot);
    } catch (error) {
      if ((error as DatabaseError).code === QUERY_CANCELED) return error;
      throw error;
    }
    const [{ snapshot, server, told }] = rows as [Row];
    databaseClock.hear(told, began);
    const isContinued =
      position?.server === server && sentAt !== undefined && isWithin(sentAt, MAX_GAP_MS);
    const changes = rows.flatMap(toChange);
    if (!isContinued || rows.length > MAX_CHANGES || changes.includes('everything')) {
      this.listener.invalidateAll();
    } else {
      for (const change of changes as Change[]) this.listener.invalidate(change);
    }
    this.position = { snapshot, server };
    this.sentAt = began;
    return undefined;
  }

  /** @param last without an earlier snapshot no change is selected */
  private async ask(connection: PostgresConnection, last: string | undefined): Promise<Row[]> {
    const query = { text: POLL, values: [last ?? null] };
    if (!this.isPooled) return connection.query<Row>({ ...query, name: 'change.poll' });
    // The limit cannot belong to the session, nor the statement have a name.
    await connection.query({ text: 'BEGIN ISOLATION LEVEL READ COMMITTED' });
    await connection.query({ text: `SET LOCAL statement_timeout = ${STATEMENT_LIMIT_MS}` });
    try {
      return await connection.query<Row>(query);
    } finally {
      await connection.query({ text: 'COMMIT' });
    }
  }

  private setPolling(isPolling: boolean, err?: unknown): void {
    if (this.isPolling === isPolling || this.ending.signal.aborted) return;
    if (!isPolling) {
      this.logger.warn({ msg: 'change poll failed; responses come from the database', err });
    } else if (this.isPolling === false) this.logger.log({ msg: 'change poll recovered' });
    this.isPolling = isPolling;
  }
}

/** Whether less than this has passed by either clock, and neither went backwards. */
function isWithin({ monotonic, wall }: Moment, ms: number): boolean {
  const passed = Date.now() - wall;
  return passed >= 0 && passed < ms && performance.now() - monotonic < ms;
}

function toChange({ kind, workspaceId, userGroupId }: Row): Change | 'everything' | [] {
  if (kind === null) return [];
  if (workspaceId === null) return 'everything';
  if (userGroupId !== null) return { workspaceId, userGroupId };
  return { workspaceId, of: kind.startsWith('api_token.') ? 'api_tokens' : 'user_groups' };
}
