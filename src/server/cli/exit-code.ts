import { AuditUnavailable } from '../../core/audit/audit.errors.ts';
import { DatabaseUnavailable, MigrationsPending } from '../../platform/common/problem/errors.ts';
import { ServiceError } from '../../platform/common/problem/problem.ts';
import {
  DatabaseUnusable,
  OperatorNotFound,
  OperatorRefusal,
} from '../../platform/common/problem/operator-error.ts';

/** The exit codes of the command line, each with its meaning. */
export const exitCodes = {
  done: [0, 'Done.'],
  failed: [1, 'Failed: the configuration is wrong, a file cannot be used, or there is a defect.'],
  usage: [
    2,
    'Wrong usage: an unknown command or option, or a value that the command line cannot read.',
  ],
  notFound: [3, 'Not found: no such workspace, group, token or other object.'],
  refused: [
    4,
    'Refused: a rule of the API, such as that for the form of a time, a conflict or a limit forbids it. Nothing was changed, except by lines of an import.',
  ],
  database: [5, 'The database cannot be reached or used. The same command may succeed later.'],
} as const satisfies Record<string, readonly [number, string]>;

const OF_DATABASE = [DatabaseUnusable, DatabaseUnavailable, AuditUnavailable, MigrationsPending];

/** Returns the exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): number {
  return exitCodes[meaningOf(error)][0];
}

function meaningOf(error: unknown): keyof typeof exitCodes {
  if (OF_DATABASE.some((type) => error instanceof type)) return 'database';
  if (error instanceof OperatorNotFound) return 'notFound';
  if (error instanceof OperatorRefusal) return 'refused';
  if (!(error instanceof ServiceError) || error.spec.status >= 500) return 'failed';
  return error.spec.status === 404 ? 'notFound' : 'refused';
}
