import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { currentTime, databaseClock, MINUTE_MS, moment } from '../../common/time.ts';
import { USER_GROUP_DATA_SOURCE } from '../data-source-name.ts';
import { dialectOf } from '../dialect.ts';
import { statement } from '../statement.ts';
import { Statements } from '../statements.ts';

const tell = statement<Record<string, never>, { told: number }>(
  'database-clock.tell',
  ({ clock }) => `SELECT ${clock} AS told`,
);

/**
 * Lets this process have the time of the database before it does anything, and once a minute. A process that serves
 * requests hears it with each poll of the changes, too.
 */
@Injectable()
export class DatabaseClock implements OnModuleInit, OnModuleDestroy {
  private readonly hasOne: boolean;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(getDataSourceToken(USER_GROUP_DATA_SOURCE)) dataSource: DataSource,
    private readonly statements: Statements,
  ) {
    this.hasOne = dialectOf(dataSource.options).clock !== undefined;
  }

  async onModuleInit(): Promise<void> {
    if (!this.hasOne) return;
    await this.ask();
    // A database that is away tells nothing; the next minute asks again.
    this.timer = setInterval(() => void this.ask().catch(() => undefined), MINUTE_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Returns the time of the database. @throws DatabaseUnavailable */
  async ask(): Promise<number> {
    if (!this.hasOne) return currentTime();
    const asked = moment();
    const [row] = await this.statements.read(tell, {});
    databaseClock.hear(row!.told, asked);
    return row!.told;
  }
}
