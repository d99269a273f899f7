import { Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';

/** Each of the two, of the ten seconds in which a process ends; the calls under way have five of them. */
const LIMIT_MS = 2000;

/** A provider that finishes its work after the last answer, while the database is still open. */
export interface OnLastAnswer {
  /** What is not done in two seconds is given up: for as long a database can be silent. */
  onLastAnswer(): Promise<void>;
}

/** A provider that writes what others have counted or noted with it, after the last of their work. */
export interface OnLastWork {
  /** What is not written in two seconds is given up. */
  onLastWork(): Promise<void>;
}

/**
 * Lets all providers finish at once: one after the other, as Nest calls its hooks, each would wait for a
 * database that does not answer for as long as a statement may take.
 */
@Injectable()
class LastWork implements OnApplicationShutdown {
  private readonly logger = new Logger(LastWork.name);

  constructor(private readonly modules: ModulesContainer) {}

  async onApplicationShutdown(): Promise<void> {
    await this.callAll('onLastAnswer');
    await this.callAll('onLastWork');
  }

  private async callAll(hook: keyof Hooks): Promise<void> {
    const limit = sleep(LIMIT_MS, 'limit' as const, { ref: false });
    const work = [...this.providers()].flatMap((provider) => provider[hook]?.() ?? []);
    const outcome = await Promise.race([Promise.allSettled(work), limit]);
    if (outcome === 'limit') this.logger.warn({ msg: 'not all is done at the end', hook });
  }

  /** A provider can have several names. */
  private providers(): Set<Partial<Hooks>> {
    const all = [...this.modules.values()].flatMap(({ providers }) => [...providers.values()]);
    return new Set(all.map(({ instance }): unknown => instance).filter(hasHooks));
  }
}

type Hooks = OnLastAnswer & OnLastWork;

function hasHooks(instance: unknown): instance is Partial<Hooks> {
  return typeof instance === 'object' && instance !== null;
}

/** Not global, unlike what closes the database: Nest ends global modules last. */
@Module({ providers: [LastWork] })
export class LastWorkModule {}
