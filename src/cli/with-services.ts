import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { createLog, NestLog } from '../common/log';
import type { Config } from '../config/config';
import { loadConfig, loadDotEnv } from '../config/load-config';
import { prepareDatabase } from '../database/migrate';
import type { Tell } from '../database/migration-turn';

/** @throws OperatorError if the environment is not acceptable */
export function configure(options?: { needsKeys: boolean }): Config {
  loadDotEnv();
  return loadConfig(process.env, options);
}

/** What a start tells goes to standard error: standard output is for what was asked for. */
export const tellOperator: Tell = (_level, msg, details = {}) => {
  const facts = Object.entries(details).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${value}`,
  );
  console.error([msg, ...facts].join(', '));
};

/** Runs `work` on the services of the application, on a database that is ready. */
export async function withServices(
  work: (app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const config = configure();
  await prepareDatabase(config, tellOperator);
  const log = createLog({ ...config, logLevel: 'warn' }, 2);
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
