import { NestFactory } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ConsoleSession } from '../../src/features/console/session/console-session.entity.ts';
import {
  USER_GROUP_DATA_SOURCE,
  UserGroupServiceModule,
  type UserGroupOptions,
} from '../../src/server/library/index.ts';
import {
  entities,
  listUserGroupMigrations,
  migrateUserGroups,
  migrations,
} from '../../src/server/library/migrations.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { letServicesWait } from '../support/time/patience.ts';

beforeAll(letServicesWait);

onEachDatabase((kind) => {
  let database: TestDatabase;
  let options: UserGroupOptions;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    const { env } = database;
    options = {
      ...(kind === 'postgres'
        ? { databaseUrl: env['DATABASE_URL'] }
        : { dataDir: env['DATA_DIR'] }),
      tokenEncryptionKeys: env['TOKEN_ENCRYPTION_KEYS'],
      webhookDelivery: false,
    };
  });

  afterAll(() => database.drop());

  test('a pipeline runs the migrations in their order, and once', async () => {
    const before = await listUserGroupMigrations(options);
    expect(before).toHaveLength(migrations.length);
    expect(before.every(({ applied }) => !applied)).toBe(true);
    const names = before.map(({ name }) => name);
    expect(await migrateUserGroups(options)).toEqual(names);
    expect(await migrateUserGroups(options)).toEqual([]);
    expect(await listUserGroupMigrations(options)).toEqual(
      names.map((name) => ({ name, applied: true })),
    );
  });

  test('the entities are those of the service', async () => {
    const module = UserGroupServiceModule.forRoot({ ...options, http: false });
    const app = await NestFactory.createApplicationContext(module, {
      logger: false,
      abortOnError: false,
    });
    try {
      const dataSource = app.get<DataSource>(getDataSourceToken(USER_GROUP_DATA_SOURCE));
      const known = dataSource.entityMetadatas.map(({ target }) => target);
      // The console belongs to the service alone; its table is made everywhere.
      expect(new Set([...known, ConsoleSession])).toEqual(new Set(entities));
    } finally {
      await app.close();
    }
  });
});
