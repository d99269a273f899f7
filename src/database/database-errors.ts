import { DatabaseError } from 'pg';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { DatabaseUnavailable, ServiceError } from '../common/errors';

/** PostgreSQL: connection lost, out of resources, shutting down, read-only, lock and statement time-outs, deadlock. */
const POSTGRES_STATES = /^(08...|53...|57P0.|25006|55P03|57014|40001|40P01)$/;
const SQLITE_CODES = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL)/;
const NETWORK_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** pg gives these no code. */
const PG_MESSAGES =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|connection error|client has encountered|Cannot use a pool after|not queryable|Driver not Connected/i;

/** TypeORM lets go of a runner as soon as its connection is lost, and the next statement finds it gone. */
const LOST_RUNNERS = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

/** `DatabaseUnavailable` for what passes by itself or with the database's recovery, else the error as it is. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  return isUnavailable(error) ? new DatabaseUnavailable(error) : error;
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
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

/** Whether the server itself refused a statement, so that its connection is as good as before. */
export function isAnsweredByPostgres(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof DatabaseError && !/^(08|57P)/.test(cause.code ?? '');
}

/** Whether another process holds the lock of the SQLite database. */
export function isSqliteBusy(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith('SQLITE_BUSY') ?? false;
}

/** Whether the database refused a row because a unique key has it already. */
export function isUniqueViolation(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return /^(23505|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/.test(code);
}
