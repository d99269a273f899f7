import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf } from './statements.ts';

/** Connections to PostgreSQL that are busy or idle, and calls that wait for one. */
export type PoolUsage = Record<'busy' | 'idle' | 'waiting', number>;

/** The connections that reads and writes share. */
@Injectable()
export class ConnectionPool {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns null on SQLite, which has no pool. */
  usage(): PoolUsage | null {
    const pool = poolOf(this.dataSource);
    if (!pool) return null;
    const { totalCount, idleCount, waitingCount } = pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }
}
