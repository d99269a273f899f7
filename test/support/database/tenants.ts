import { randomBytes } from 'node:crypto';
import { marked } from '../api/pages.ts';
import { createTestDatabase } from './databases.ts';
import { OwnPgBouncer, POOL_SIZE } from './pgbouncer.ts';
import { runSql } from '../keys.ts';

/** A database whose rows PostgreSQL itself shows to their tenants alone. */
export interface TenantDatabase {
  /** Its addresses: past a pooler, and through one in transaction mode, which has `POOL_SIZE` connections. */
  urls: { direct: string; pooled: string };
  /** Its address for its owner, past the pooler. */
  ownerUrl: string;
  /** Runs SQL as its owner, who sees everything. */
  run: <T extends object>(sql: string) => Promise<T[]>;
  drop: () => Promise<void>;
}

export const TENANTS = ['acme', 'globex', 'initech'];
export { POOL_SIZE };

/** Creates one with a row for each tenant in the table `sale`, and starts the pooler. */
export async function createTenantDatabase(): Promise<TenantDatabase> {
  const database = await createTestDatabase('postgres');
  const role = `dashboards_${randomBytes(6).toString('hex')}`;
  const run = <T extends object>(sql: string) => runSql<T>(database, sql);
  await run(`CREATE ROLE ${role} LOGIN`);
  await run(`CREATE TABLE sale (
    region text NOT NULL,
    product text NOT NULL,
    CONSTRAINT one_product UNIQUE (region, product) DEFERRABLE INITIALLY DEFERRED
  )`);
  await run(`INSERT INTO sale VALUES ${TENANTS.map((one) => `('${one}', 'of ${one}')`).join()}`);
  // The policy is the one of the guide.
  await run(marked('docs/guides/renderers.md', 'policy'));
  await run(`GRANT SELECT, INSERT ON sale TO ${role}`);
  const direct = new URL(database.env['DATABASE_URL']!);
  direct.username = role;
  const pooler = await OwnPgBouncer.start(direct.href);
  return {
    ownerUrl: database.env['DATABASE_URL']!,
    urls: { direct: direct.href, pooled: pooler.url },
    run,
    drop: async () => {
      await pooler.remove();
      await run(`DROP OWNED BY ${role}`);
      await run(`DROP ROLE ${role}`);
      await database.drop();
    },
  };
}
