import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../config/config.ts';
import type { OnLastAnswer } from '../../database/upkeep/last-work.ts';
import { EndingOverlapNotice } from './ending-overlaps.ts';
import { ExpiringApiTokenNotice } from './expiring-api-tokens.ts';
import { UnresolvableMappingNotice } from './unresolvable-mappings.ts';

const EVERY_MS = 60_000;

interface Look {
  look(signal: AbortSignal): Promise<void>;
}

/**
 * Announces as events what nobody has done, while there is time to do something about it: once, whichever
 * process looks.
 */
@Injectable()
export class Notices implements OnApplicationBootstrap, OnLastAnswer {
  private readonly logger = new Logger(Notices.name);
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly looking = new Map<Look, Promise<void>>();

  constructor(
    private readonly endingOverlaps: EndingOverlapNotice,
    private readonly expiringApiTokens: ExpiringApiTokenNotice,
    private readonly unresolvableMappings: UnresolvableMappingNotice,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.webhookDelivery === 'off') return;
    this.timer = setInterval(() => void this.look(), EVERY_MS).unref();
  }

  async onLastAnswer(): Promise<void> {
    clearInterval(this.timer);
    this.ending.abort();
    await Promise.all(this.looking.values());
  }

  /** Announces what is to be announced by now; what fails is left for the next minute. */
  async look(): Promise<void> {
    const all = [this.endingOverlaps, this.expiringApiTokens, this.unresolvableMappings];
    await Promise.all(all.map((notice) => this.lookFor(notice)));
  }

  /** Never rejects. With very many groups one takes longer than a minute, and holds up no other. */
  private lookFor(notice: Look): Promise<void> {
    const { signal } = this.ending;
    const looking =
      this.looking.get(notice) ??
      notice
        .look(signal)
        .catch((err: unknown) => {
          if (signal.aborted) return;
          this.logger.warn({ msg: 'what is to be announced is not for now', err });
        })
        .finally(() => this.looking.delete(notice));
    this.looking.set(notice, looking);
    return looking;
  }
}
