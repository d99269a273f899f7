import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { WebhookSettings } from '../webhook.settings.ts';
import { onDrained, type OnDrained } from '../../../platform/database/upkeep/shutdown-phases.ts';
import {
  endingOverlaps,
  expiringApiTokens,
  groupsEndingInADay,
  groupsEndingInAWeek,
} from './ending-reminders.ts';
import { ReminderLog } from './reminder-log.ts';
import { UnresolvableMappingReminder } from './unresolvable-mappings.ts';

const EVERY_MS = 60_000;

type Source = (signal: AbortSignal) => Promise<void>;

/** Sends events about pending problems while there is time to act, once each, across all processes. */
@Injectable()
export class Reminders implements OnApplicationBootstrap, OnDrained {
  private readonly logger = new Logger(Reminders.name);
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly running = new Map<Source, Promise<void>>();
  private readonly sources: readonly Source[] = [
    () => this.log.remindOfEnding(endingOverlaps),
    () => this.log.remindOfEnding(expiringApiTokens),
    () => this.log.remindOfEnding(groupsEndingInAWeek),
    () => this.log.remindOfEnding(groupsEndingInADay),
    (signal) => this.unresolvableMappings.remind(signal),
  ];

  constructor(
    private readonly log: ReminderLog,
    private readonly unresolvableMappings: UnresolvableMappingReminder,
    private readonly settings: WebhookSettings,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.settings.webhookDelivery) return;
    this.timer = setInterval(() => void this.remind(), EVERY_MS).unref();
  }

  async [onDrained](): Promise<void> {
    clearInterval(this.timer);
    this.ending.abort();
    await Promise.all(this.running.values());
  }

  /** Sends the reminders that are due. After a failure the next minute tries again. */
  async remind(): Promise<void> {
    await Promise.all(this.sources.map((source) => this.remindOf(source)));
  }

  /** Never rejects. A source that takes longer than a minute, with very many groups, delays no other. */
  private remindOf(source: Source): Promise<void> {
    const { signal } = this.ending;
    const running =
      this.running.get(source) ??
      source(signal)
        .catch((err: unknown) => {
          if (signal.aborted) return;
          this.logger.warn({ msg: 'could not send reminders; retrying in a minute', err });
        })
        .finally(() => this.running.delete(source));
    this.running.set(source, running);
    return running;
  }
}
