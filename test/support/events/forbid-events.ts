import { changeDatabase } from '../database/databases.ts';
import type { TestService } from '../test-service.ts';

/** Lets every INSERT of an event fail until the returned function is called. */
export async function forbidEvents(service: TestService): Promise<() => Promise<void>> {
  if (service.database.kind === 'postgres') {
    await changeDatabase(
      service.database,
      'ALTER TABLE audit_event ADD CONSTRAINT forbidden CHECK (false) NOT VALID',
    );
    return () =>
      changeDatabase(service.database, 'ALTER TABLE audit_event DROP CONSTRAINT forbidden');
  }
  await changeDatabase(
    service.database,
    `CREATE TRIGGER forbidden BEFORE INSERT ON audit_event BEGIN SELECT RAISE(ABORT, 'forbidden'); END`,
  );
  return () => changeDatabase(service.database, 'DROP TRIGGER forbidden');
}
