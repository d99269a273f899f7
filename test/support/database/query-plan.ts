import { Client } from 'pg';
import type { TestService } from '../test-service.ts';

/** The plan of the database for a statement with values that it does not know yet; a line for each step. */
export async function planOf(service: TestService, sql: string): Promise<string[]> {
  const { kind, env } = service.database;
  if (kind === 'sqlite') {
    const explain = `EXPLAIN QUERY PLAN ${sql.replaceAll('?', 'NULL')}`;
    return (await service.query<{ detail: string }>(explain)).map(({ detail }) => detail);
  }
  const client = new Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  try {
    const count = Math.max(...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE asked AS ${sql}`);
    const values = Array.from({ length: count }, () => 'NULL').join();
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (COSTS off) EXECUTE asked(${values})`,
    );
    return rows.map((row) => row['QUERY PLAN']);
  } finally {
    await client.end();
  }
}

/** The steps of a plan that would read a whole table of groups, or sort more than a page. `json_each` is a list parameter. */
export function wasteIn(plan: readonly string[]): string[] {
  // A part that is cut out before is read as a whole.
  const cutOut = plan.flatMap((step) => /(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(step)?.[1] ?? []);
  return plan.filter(
    (step) =>
      !cutOut.some((name) => step === `SCAN ${name}`) &&
      /Seq Scan on (user_group|data_source_mapping)|Sort|Hash|SCAN (?!json_each\b)\w+(?! USING)\b|B-TREE FOR ORDER/.test(
        step,
      ),
  );
}

/** The steps of a plan of PostgreSQL that read all of one of these tables, or all of an index of one of them. */
export function wholeScansIn(plan: readonly string[], tables: readonly string[]): string[] {
  return plan.filter((step, at) => {
    const [, kind, name = ''] =
      /(Seq|Index|Index Only) Scan (?:.*\b(?:on|using)) (\w+)/.exec(step) ?? [];
    if (kind === undefined || !tables.some((table) => name.startsWith(table))) return false;
    return kind === 'Seq' || !plan[at + 1]?.includes('Index Cond');
  });
}
