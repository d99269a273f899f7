import type { DatabaseError } from 'pg';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { DatabaseUnavailable } from '../common/problem/errors.ts';
import { ServiceError } from '../common/problem/problem.ts';
import { OperatorError } from '../common/problem/operator-error.ts';

/**
 * PostgreSQL: connection lost, out of resources, shutting down, read-only, time-outs, conflicts with other
 * transactions, a file that cannot be read, and its own defects.
 */
const POSTGRES_STATES =
  /^(08...|40...|53...|57P0.|58...|F0...|XX...|25006|25P03|25P04|55P03|57014)$/;
const SQLITE_CODES =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL|CORRUPT|NOTADB|PERM|INTERRUPT)(_|$)/;
const NETWORK_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** Messages of errors to which pg assigns no code. */
const PG_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|connection error|client has encountered|Cannot use a pool after|not queryable|Driver not Connected/i;

/** Errors of TypeORM for a statement on a runner whose connection was lost. */
const LOST_RUNNERS = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

/** Errors that opening a connection has failed with. */
const refusedConnections = new WeakSet<object>();

/** Makes an error of opening a connection count as `DatabaseUnavailable`: no code of a caller's statement is in it. */
export function markRefusedConnection<T>(error: T): T {
  if (typeof error === 'object' && error !== null) refusedConnections.add(error);
  return error;
}

/** Translates transient errors into `DatabaseUnavailable`; returns others unchanged. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof ServiceError || error instanceof OperatorError) return error;
  return isUnavailable(error) ? new DatabaseUnavailable(error) : error;
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (refusedConnections.has(error)) return true;
  if (LOST_RUNNERS.some((type) => error instanceof type)) return true;
  const { code } = error as NodeJS.ErrnoException;
  if (
    typeof code === 'string' &&
    [POSTGRES_STATES, SQLITE_CODES, NETWORK_CODES].some((p) => p.test(code))
  ) {
    return true;
  }
  return PG_MESSAGES.test(error.message);
}

/** Whether the server itself rejected a statement, so that its connection is still usable. */
export function isReportedByPostgres(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!isPostgresError(cause) || refusedConnections.has(cause)) return false;
  return !/^(08|57P|25P0[34])/.test(cause.code ?? '');
}

/** Whether PostgreSQL has sent the error; its driver need not be loaded. */
export function isPostgresError(error: unknown): error is DatabaseError {
  return error instanceof Error && 'severity' in error && 'code' in error;
}

/** Whether another process holds the lock of the SQLite database. */
export function isSqliteBusy(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith('SQLITE_BUSY') ?? false;
}

/** Whether a row would have the key of another one, which may be of the same statement. */
export function isUniqueViolation(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return /^(23505|21000|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/.test(code);
}

/** Whether PostgreSQL refused to wait longer for another transaction: its lock, or a deadlock with it. */
export function isLockConflict(error: unknown): boolean {
  return /^(55P03|40P01)$/.test((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}
