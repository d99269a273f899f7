import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.ts';
import { createLog, NestLog } from '../common/log.ts';
import { prepareDatabase } from '../database/schema/migrate.ts';
import { configure, notifyOperator } from './configure.ts';

/** Runs `work` on the services of the application, on a database that is ready; sends no webhooks. */
export async function withServices(
  work: (app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const given = await configure();
  given.webhookDelivery = 'off';
  const { config } = await prepareDatabase(given, notifyOperator);
  const log = await createLog({ ...config, logLevel: 'warn' }, 2);
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    abortOnError: false,
    logger: new NestLog(log),
  });
  try {
    await work(app);
  } finally {
    await app.close();
  }
}
