import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../config/config.ts';
import type { OnLastAnswer } from '../../database/upkeep/last-work.ts';
import { EndingOverlapNotice } from './ending-overlaps.ts';
import { ExpiringApiTokenNotice } from './expiring-api-tokens.ts';
import { UnresolvableMappingNotice } from './unresolvable-mappings.ts';

const EVERY_MS = 60_000;

/**
 * Announces as events what nobody has done, while there is time to do something about it: once, whichever
 * process looks.
 */
@Injectable()
export class Notices implements OnApplicationBootstrap, OnLastAnswer {
  private readonly logger = new Logger(Notices.name);
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly endingOverlaps: EndingOverlapNotice,
    private readonly expiringApiTokens: ExpiringApiTokenNotice,
    private readonly unresolvableMappings: UnresolvableMappingNotice,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.webhookDelivery === 'off') return;
    this.timer = setInterval(() => {
      // With very many groups it takes longer than a minute.
      this.looking ??= this.look().finally(() => (this.looking = undefined));
    }, EVERY_MS).unref();
  }

  async onLastAnswer(): Promise<void> {
    clearInterval(this.timer);
    this.ending.abort();
    await this.looking;
  }

  /** Announces what is to be announced by now; what fails is left for the next minute. */
  async look(): Promise<void> {
    const { signal } = this.ending;
    for (const notice of [this.endingOverlaps, this.expiringApiTokens, this.unresolvableMappings]) {
      try {
        await notice.look(signal);
      } catch (err) {
        if (signal.aborted) return;
        this.logger.warn({ msg: 'what is to be announced is not for now', err });
      }
    }
  }
}
