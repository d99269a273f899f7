import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule, requireComposable } from '../app/app.module.ts';
import { features } from '../app/features.ts';
import { operator } from '../../platform/common/access/caller.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { createLog, NestLog } from '../../platform/common/log.ts';
import { translateDatabaseError } from '../../platform/database/database-errors.ts';
import { openDatabase, prepareDatabase } from '../../platform/database/schema/migrate.ts';
import { KeyCheck } from '../../features/key-administration/key-check.ts';
import { WorkspaceService } from '../../core/workspace/workspace.service.ts';
import { settingsFrom } from '../../platform/config/settings.ts';
import { configure } from '../../platform/command-line/configure.ts';
import { notifyOperator } from './notify-operator.ts';

/** Runs `work` on the services of the application, with the settings that features have in commands. */
export const withServices: CommandServices['withServices'] = async (work, needs = {}) => {
  const given = await configure();
  requireComposable(given);
  for (const { settings, settingsOfCommands } of features) {
    if (settings) Object.assign(settingsFrom(given, settings), settingsOfCommands);
  }
  const config = needs.mayMake
    ? (await prepareDatabase(given, notifyOperator)).config
    : await openDatabase(given, notifyOperator);
  const log = await createLog({ ...config, logLevel: 'warn' }, 2);
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    abortOnError: false,
    logger: new NestLog(log),
  });
  try {
    if (needs.rightKeys) await app.get(KeyCheck).requireRightKeys();
    await work(app);
  } catch (error) {
    throw translateDatabaseError(error);
  } finally {
    await app.close();
  }
};

/** Runs `work` as the operator of a workspace. */
export const withWorkspace: CommandServices['withWorkspace'] = (name, work, needs) =>
  withServices(async (app: INestApplicationContext) => {
    const { id } = await app.get(WorkspaceService).getByName(name);
    await work(app, operator(id));
  }, needs);

export const workspaceNames: CommandServices['workspaceNames'] = async (app) =>
  new Map((await app.get(WorkspaceService).list()).map(({ id, name }) => [id, name]));
