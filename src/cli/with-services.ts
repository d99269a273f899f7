import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app/app.module.ts';
import { type Caller, operator } from '../common/access/caller.ts';
import { createLog, NestLog } from '../common/log.ts';
import { translateDatabaseError } from '../database/database-errors.ts';
import { prepareDatabase } from '../database/schema/migrate.ts';
import { KeyCheck } from '../key-administration/key-check.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import { configure, notifyOperator } from './configure.ts';

/** Runs `work` on the services of the application, on a prepared database; sends no webhooks. */
export async function withServices(work: (app: INestApplicationContext) => Promise<void>): Promise<void> {
  const given = await configure();
  given.webhookDelivery = false;
  const { config } = await prepareDatabase(given, notifyOperator);
  const log = await createLog({ ...config, logLevel: 'warn' }, 2);
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    abortOnError: false,
    logger: new NestLog(log),
  });
  try {
    await work(app);
  } catch (error) {
    throw translateDatabaseError(error);
  } finally {
    await app.close();
  }
}

/** Runs `work` as the operator of a workspace. @throws OperatorNotFound if the workspace is unknown */
export function withWorkspace(
  name: string,
  work: (app: INestApplicationContext, caller: Caller) => Promise<void>,
): Promise<void> {
  return withServices(async (app) => {
    const { id } = await app.get(WorkspaceService).getByName(name);
    await work(app, operator(id));
  });
}

/** Does as `withWorkspace`, for work that encrypts or decrypts. @throws OperatorError if a key is not the recorded one */
export function withKeys(
  name: string,
  work: (app: INestApplicationContext, caller: Caller) => Promise<void>,
): Promise<void> {
  return withWorkspace(name, async (app, caller) => {
    await app.get(KeyCheck).requireRightKeys();
    await work(app, caller);
  });
}
