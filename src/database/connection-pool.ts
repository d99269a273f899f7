import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf } from './statements.ts';

/** How many connections to PostgreSQL are busy, how many idle, and how many calls wait for one. */
export type PoolUsage = Record<'busy' | 'idle' | 'waiting', number>;

/** The connections that reads and writes share. */
@Injectable()
export class ConnectionPool {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the present usage; null on the embedded database, which has no pool. */
  usage(): PoolUsage | null {
    const pool = poolOf(this.dataSource);
    if (!pool) return null;
    const { totalCount, idleCount, waitingCount } = pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }
}
