import { statement } from '../../src/platform/database/statement.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { Transactor } from '../../src/platform/database/transactor.ts';
import { administer, createTestDatabase, onPostgres } from '../support/database/databases.ts';
import { startTestService } from '../support/test-service.ts';

const level = statement<object, { level: string }>(
  'test.isolation',
  () => "SELECT current_setting('transaction_isolation') AS level",
);

onPostgres('on postgres', () => {
  test.each(['repeatable read', 'serializable'])(
    'transactions are READ COMMITTED on a database whose default is %s',
    async (standard) => {
      const database = await createTestDatabase('postgres');
      const url = database.env['DATABASE_URL']!;
      await administer(
        `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = '${standard}'`,
      );
      // The second one treats its URL as that of a pooler.
      for (const env of [{}, { DATABASE_DIRECT_URL: url }] as Record<string, string>[]) {
        const service = await startTestService(database, env);
        const statements = service.app.get(Statements);
        const transactor = service.app.get(Transactor);
        const inside = await transactor.run((manager) => statements.run(manager, level, {}));
        const applied = await transactor.apply(level, {});
        expect([inside, applied]).toEqual([
          [{ level: 'read committed' }],
          [{ level: 'read committed' }],
        ]);
        await service.close();
      }
      await database.drop();
    },
  );
});
