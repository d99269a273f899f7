import { Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';

/** Each of the two, of the ten seconds in which a process ends; the calls under way have five of them. */
const LIMIT_MS = 2000;

/** Names of the hooks: a provider of an application or plugin cannot have them by chance. */
export const onDrained = Symbol('onDrained');
export const onFlush = Symbol('onFlush');

/** A provider that finishes its work after the last response, while the database is still open. */
export interface OnDrained {
  /** Given up after two seconds: a database can be silent for that long. */
  [onDrained](): Promise<void>;
}

/** A provider that writes what others have counted or noted with it, after the last of their work. */
export interface OnFlush {
  /** Given up after two seconds. */
  [onFlush](): Promise<void>;
}

/**
 * Lets all providers finish at once: one after the other, as Nest calls its hooks, each would wait for a database that
 * does not respond for as long as a statement may take.
 */
@Injectable()
class ShutdownPhases implements OnApplicationShutdown {
  private readonly logger = new Logger(ShutdownPhases.name);

  constructor(private readonly modules: ModulesContainer) {}

  async onApplicationShutdown(): Promise<void> {
    await this.callAll(onDrained);
    await this.callAll(onFlush);
  }

  private async callAll(hook: keyof Hooks): Promise<void> {
    const limit = sleep(LIMIT_MS, 'limit' as const, { ref: false });
    const work = [...this.providers()].flatMap((provider) => provider[hook]?.() ?? []);
    const outcome = await Promise.race([Promise.allSettled(work), limit]);
    if (outcome === 'limit') {
      this.logger.warn({ msg: 'shutdown work timed out', hook: hook.description });
    }
  }

  /** A provider can have several names. */
  private providers(): Set<Partial<Hooks>> {
    const all = [...this.modules.values()].flatMap(({ providers }) => [...providers.values()]);
    return new Set(all.map(({ instance }): unknown => instance).filter(hasHooks));
  }
}

type Hooks = OnDrained & OnFlush;

function hasHooks(instance: unknown): instance is Partial<Hooks> {
  return typeof instance === 'object' && instance !== null;
}

/** Must not be global, unlike the modules that close the database: Nest ends global modules last. */
@Module({ providers: [ShutdownPhases] })
export class ShutdownPhasesModule {}
