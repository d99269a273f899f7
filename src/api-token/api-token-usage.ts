import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { statement, Statements } from '../database/statement';
import { Transactor } from '../database/transactor';

const WRITE_EVERY_MS = 60_000;

const setLastUsed = statement<{ id: number; at: number }>(
  'api-token.set-last-used',
  () => `
    UPDATE api_token SET last_used_at = :at
    WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)`,
);

/** Remembers when each API token was last used and writes it down once a minute, on no request's time. */
@Injectable()
export class ApiTokenUsage implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ApiTokenUsage.name);
  private lastUsed = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly transactor: Transactor,
    private readonly statements: Statements,
  ) {}

  record(apiTokenId: number): void {
    this.lastUsed.set(apiTokenId, Date.now());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), WRITE_EVERY_MS).unref();
  }

  /** After the last answer; the database, a global module, is closed after the modules that use it. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** A time that cannot be written is dropped: it is a hint for people, and the next minute brings another. */
  private async flush(): Promise<void> {
    const used = this.lastUsed;
    if (used.size === 0) return;
    this.lastUsed = new Map();
    try {
      await this.transactor.run(async (manager) => {
        for (const [id, at] of [...used].sort(byId))
          await this.statements.run(manager, setLastUsed, { id, at });
      });
    } catch (err) {
      this.logger.warn({ msg: 'last use of API tokens not written', err });
    }
  }
}

/** Replicas that write the same tokens in the same order wait for each other; in any other they could deadlock. */
function byId([one]: [number, number], [other]: [number, number]): number {
  return one - other;
}
