import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AddressInfo, Server } from 'node:net';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ApiToken } from '../../src/core/api-token/api-token.entity.ts';
import { ApiTokenBootstrap } from '../../src/core/api-token/provisioning/api-token.bootstrap.ts';
import { ApiTokenService } from '../../src/core/api-token/api-token.service.ts';
import { operator, type Scope } from '../../src/platform/common/access/caller.ts';
import { hashToken } from '../../src/platform/common/secret/secrets.ts';
import { toWireTime } from '../../src/platform/common/time.ts';
import type { Plugin } from '../../src/platform/common/extension/plugin.ts';
import { createLog } from '../../src/platform/common/log.ts';
import { settingsFrom } from '../../src/platform/config/settings.ts';
import { ConsoleSettings } from '../../src/features/console/console.settings.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { requireComposable } from '../../src/server/app/app.module.ts';
import { createApp } from '../../src/server/app/create-app.ts';
import { USER_GROUP_DATA_SOURCE } from '../../src/platform/database/data-source-name.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { WorkspaceService } from '../../src/core/workspace/workspace.service.ts';
import { ApiClient } from './api/api-client.ts';
import { BOOTSTRAP_TOKEN } from './process/processes.ts';
import { openLog } from './jest/leaks.ts';
import { letServicesWait } from './time/patience.ts';
import {
  createMigratedDatabase,
  createTestDatabase,
  type DatabaseKind,
  type TestDatabase,
} from './database/databases.ts';

/** The real application, listening on a free port, on a migrated database of its own. */
export interface TestService {
  app: NestExpressApplication;
  database: TestDatabase;
  dataSource: DataSource;
  port: number;
  baseUrl: string;
  bootstrapToken: string;
  /** Calls with an API token of the default workspace that has every scope. */
  api: ApiClient;
  /** An API token of the workspace, which is created if it is new. */
  issueToken: (scopes: Scope[], workspace?: string, lifeMs?: number) => Promise<string>;
  revokeToken: (token: string) => Promise<void>;
  clientOf: (apiToken: string | undefined) => ApiClient;
  /** Reads the database directly. */
  query: <Row>(sql: string) => Promise<Row[]>;
  close: () => Promise<void>;
}

const services = new Set<TestService>();

// A test that fails before it closes its service would leave a server that listens and an open database.
afterAll(async () => {
  const left = [...services].filter(({ app }) => (app.getHttpServer() as Server).listening);
  await Promise.allSettled(left.map(({ close }) => close()));
});

/**
 * Declares a service of its own for the tests of the surrounding block: started before the first of
 * them, stopped after the last. Its members are there from then on, in hooks and tests, not while
 * the tests are declared.
 */
export function withService(
  kind: DatabaseKind,
  env: Record<string, string> = {},
  page: Pick<ConsoleSettings, 'consoleDirectory'> = {},
): TestService {
  const service = {} as TestService;
  beforeAll(async () => {
    Object.assign(service, await startTestService(kind, env, [], page));
  });
  afterAll(() => service.close());
  return service;
}

/**
 * @param place a kind for a new database, or a database that stays when the service is closed
 * @param page the page of the console, if not that of the build
 */
export async function startTestService(
  place: DatabaseKind | TestDatabase,
  env: Record<string, string> = {},
  plugins: readonly Plugin[] = [],
  page: Pick<ConsoleSettings, 'consoleDirectory'> = {},
): Promise<TestService> {
  const isOwn = typeof place === 'string';
  const database = isOwn ? await createDatabase(place, plugins) : place;
  const variables = {
    LOG_LEVEL: 'trace',
    LOG_FORMAT: 'json',
    METRICS_PORT: '0',
    // Examples name hosts of others; a test that sends says so.
    WEBHOOK_DELIVERY: 'off',
    RATE_LIMIT_PER_MINUTE: '0',
    AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '0',
    PORT: '0',
    BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN,
    ...database.env,
    ...env,
  };
  const given = loadConfig(variables, { plugins });
  Object.assign(settingsFrom(given, ConsoleSettings), page);
  letServicesWait();
  requireComposable(given);
  const { config } = await prepareDatabase(given);
  const app = await createApp(config, await createLog(config, openLog()));
  try {
    await app.init();
    await app.get(ApiTokenBootstrap).run();
    await app.listen(config.port, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  const dataSource = app.get<DataSource>(getDataSourceToken(USER_GROUP_DATA_SOURCE));
  const baseUrl = `http://127.0.0.1:${port}`;
  let closed: Promise<void> | undefined;
  const close = async () => {
    await app.close();
    if (isOwn) await database.drop();
  };
  const service: TestService = {
    app,
    database,
    dataSource,
    port,
    baseUrl,
    bootstrapToken: BOOTSTRAP_TOKEN,
    api: new ApiClient(baseUrl, BOOTSTRAP_TOKEN),
    issueToken: async (scopes, name = 'default', lifeMs) => {
      const workspaces = app.get(WorkspaceService);
      const known = (await workspaces.list()).find((workspace) => workspace.name === name);
      const { id: workspaceId } = known ?? (await workspaces.create(name));
      const expires_at = lifeMs === undefined ? null : toWireTime(Date.now() + lifeMs);
      const issued = await app
        .get(ApiTokenService)
        .issue(operator(workspaceId), { name: 'test', scopes, expires_at });
      return issued.api_token.token;
    },
    revokeToken: async (token) => {
      const row = await dataSource
        .getRepository(ApiToken)
        .findOneByOrFail({ tokenHash: hashToken(token) });
      await app.get(ApiTokenService).revoke(operator(row.workspaceId), row.id);
    },
    clientOf: (apiToken) => new ApiClient(baseUrl, apiToken),
    query: (sql) => dataSource.query(sql),
    close: () => (closed ??= close()),
  };
  services.add(service);
  return service;
}

/** A new database, which the start migrates; most have been migrated alike by a start before. */
function createDatabase(kind: DatabaseKind, plugins: readonly Plugin[]): Promise<TestDatabase> {
  if (plugins.length > 0) return createTestDatabase(kind);
  return createMigratedDatabase(kind, async (env) => {
    await prepareDatabase(loadConfig(env));
  });
}
