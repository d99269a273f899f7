import type { QueryRunner } from 'typeorm';

export interface Index {
  /** Unique in the schema. */
  name: string;
  table: string;
  columns: string[];
  isUnique?: boolean;
  /** SQL that a row must meet to be in the index. */
  where?: string;
}

/**
 * Creates an index. Outside of a transaction, as in a migration with `transaction = false`, PostgreSQL builds it while
 * everybody reads and writes the table. The index of an interrupted attempt is kept if it is valid, and rebuilt if it
 * is not.
 * @throws QueryFailedError if it is unique and the table has two equal rows; no index is left then
 */
export async function createIndex(queryRunner: QueryRunner, index: Index): Promise<void> {
  const isPostgres = queryRunner.dataSource.options.type === 'postgres';
  if (!isPostgres || queryRunner.isTransactionActive) {
    await queryRunner.query(sqlOf(index));
    return;
  }
  const found = await findState(queryRunner, index);
  if (found === 'whole') return;
  if (found === 'broken') await dropConcurrently(queryRunner, index);
  try {
    await queryRunner.query(sqlOf(index, 'CONCURRENTLY'));
  } catch (error) {
    // PostgreSQL leaves it in place, and a unique one would go on refusing rows.
    await dropConcurrently(queryRunner, index).catch(() => undefined);
    throw error;
  }
}

/** Drops an index, in the way back of a migration. @public */
export async function dropIndex(queryRunner: QueryRunner, { name }: Index): Promise<void> {
  await queryRunner.query(`DROP INDEX ${name}`);
}

function sqlOf({ name, table, columns, isUnique, where }: Index, concurrently = ''): string {
  return `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${concurrently} ${name} ON ${table} (${columns.join(', ')})
    ${where ? `WHERE ${where}` : ''}`;
}

async function findState(
  queryRunner: QueryRunner,
  { name }: Index,
): Promise<'absent' | 'broken' | 'whole'> {
  const [row] = (await queryRunner.query(
    'SELECT indisvalid AS "isWhole" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )) as { isWhole: boolean }[];
  if (!row) return 'absent';
  return row.isWhole ? 'whole' : 'broken';
}

async function dropConcurrently(queryRunner: QueryRunner, { name }: Index): Promise<void> {
  await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
