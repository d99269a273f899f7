import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparePgBouncer } from '../../system/lab/pgbouncer.mjs';
import { accepts, freePort } from '../../system/lab/ports.mjs';
import { until } from '../time/until.ts';

/** Connections to PostgreSQL that all sessions of the pooler share, unless a test says otherwise. */
export const POOL_SIZE = 3;

interface Settings {
  poolSize?: number;
  /** Startup parameters that it drops, separated by commas; it refuses others. */
  ignored?: string;
}

/** Whether tests can start a PgBouncer; in CI they have to. */
export function canStartPgBouncer(): boolean {
  return Boolean(process.env['CI']) || spawnSync('pgbouncer', ['--version']).error === undefined;
}

/** A PgBouncer in transaction mode, with nothing else changed but `Settings`, before one database. */
export class OwnPgBouncer {
  private child: ChildProcess | undefined;
  private readonly dir = mkdtempSync(join(tmpdir(), 'user-groups-pgbouncer-'));

  private constructor(
    private readonly target: URL,
    private readonly port: number,
    private readonly settings: Settings,
  ) {}

  static async start(databaseUrl: string, settings: Settings = {}): Promise<OwnPgBouncer> {
    const pooler = new OwnPgBouncer(new URL(databaseUrl), await freePort(), settings);
    await pooler.start();
    return pooler;
  }

  /** The database, through the pooler. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const { port, target, settings } = this;
    const options = { port, target, poolSize: POOL_SIZE, ...settings };
    const args = preparePgBouncer(this.dir, options);
    const child = spawn('pgbouncer', args, { stdio: 'ignore' });
    this.child = child;
    await until(() => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`);
      return accepts(this.port);
    });
  }

  async kill(): Promise<void> {
    // Null while it runs.
    if (this.child?.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  /** Ends it and removes its files. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
