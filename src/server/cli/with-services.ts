import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app/app.module.ts';
import { servedChoice } from '../app/features.ts';
import { type Caller, operator } from '../../platform/common/access/caller.ts';
import { createLog, NestLog } from '../../platform/common/log.ts';
import { translateDatabaseError } from '../../platform/database/database-errors.ts';
import { openDatabase, prepareDatabase } from '../../platform/database/schema/migrate.ts';
import { KeyCheck } from '../../features/key-administration/key-check.ts';
import { WorkspaceService } from '../../core/workspace/workspace.service.ts';
import { configure, notifyOperator } from './configure.ts';

/**
 * Runs `work` on the services of the application; sends no webhooks.
 * @param mayMake whether the command sets up an installation, so that it makes the tables that are missing. Any other
 *   one refuses an empty database: a misspelt path would otherwise look like an installation without data
 */
export async function withServices(
  work: (app: INestApplicationContext) => Promise<void>,
  mayMake = false,
): Promise<void> {
  const given = await configure();
  servedChoice(given);
  given.webhookDelivery = false;
  const config = mayMake
    ? (await prepareDatabase(given, notifyOperator)).config
    : await openDatabase(given, notifyOperator);
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
  mayMake = false,
): Promise<void> {
  return withServices(async (app) => {
    const { id } = await app.get(WorkspaceService).getByName(name);
    await work(app, operator(id));
  }, mayMake);
}

/** Does as `withWorkspace`, for a command that sets up an installation. */
export const settingUp: typeof withWorkspace = (name, work) => withWorkspace(name, work, true);

/** Does as `withWorkspace`, for work that encrypts or decrypts. @throws OperatorError if a key is not the recorded one */
export function withKeys(
  name: string,
  work: (app: INestApplicationContext, caller: Caller) => Promise<void>,
  mayMake = false,
): Promise<void> {
  return withWorkspace(
    name,
    async (app, caller) => {
      await app.get(KeyCheck).requireRightKeys();
      await work(app, caller);
    },
    mayMake,
  );
}
