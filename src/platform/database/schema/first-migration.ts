import { OperatorError } from '../../common/problem/operator-error.ts';
import { ownSchema } from './own-schema.ts';

/**
 * @param applied the migrations of a database
 * @throws OperatorError if they do not begin with the first one: a version before it has made the database
 */
export function requireFirstMigration(applied: readonly string[]): void {
  if (applied.length === 0 || applied.includes(ownSchema().migrations[0]!.name)) return;
  throw new OperatorError(
    'The database was made by a version before 0.1.0, or by another program; export the groups there with "group export", and import them into a new database with "group import".',
  );
}
