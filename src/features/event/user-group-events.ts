import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { ChangeTail, type TailSubscriber } from './feed/change-tail.ts';
import type { UserGroupSubscription } from './consumer/event-consumer.ts';
import { EventConsumers } from './consumer/event-consumers.ts';
import { toUserGroupEvent, type UserGroupEvent } from './feed/user-group-event.ts';

/** Receives events in the order of their commits. */
export interface UserGroupListener {
  name: string;
  /** Called for each change once it is committed. Errors are logged, and a promise is not awaited. */
  onChange(event: UserGroupEvent): void | Promise<void>;
  /** Changes may have been missed: all cached groups are stale. Called with the next event. */
  onGap?(): void | Promise<void>;
}

/**
 * Notifies code in the same process of every change that any process of the installation has committed: `subscribe`
 * misses none, `listen` may.
 */
@Injectable()
export class UserGroupEvents implements BeforeApplicationShutdown {
  private readonly logger = new Logger(UserGroupEvents.name);
  private readonly ends = new Set<() => void>();

  /** @internal */
  constructor(
    private readonly tail: ChangeTail,
    private readonly consumers: EventConsumers,
  ) {}

  /**
   * Notifies of changes from now on, in all workspaces, usually within 250 ms. Commits while no process listens are not
   * delivered later, as they are by `/api/v1/events`.
   * @returns a function that unsubscribes before the application ends
   */
  listen(listener: UserGroupListener): () => void {
    let unsubscribe = (): void => undefined;
    const subscriber: TailSubscriber = {
      workspaceId: undefined,
      onBatch: ({ changes }) => {
        for (const change of changes) {
          this.contain(listener, () => listener.onChange(toUserGroupEvent(change)));
        }
      },
      onGap: () => {
        this.contain(listener, () => listener.onGap?.());
        unsubscribe = this.tail.subscribe(subscriber);
      },
    };
    unsubscribe = this.tail.subscribe(subscriber);
    const end = () => {
      this.ends.delete(end);
      unsubscribe();
    };
    this.ends.add(end);
    return end;
  }

  /** Stops listening, or the process would continue to read the change log. */
  beforeApplicationShutdown(): void {
    for (const end of this.ends) end();
  }

  /**
   * Delivers every change since the first subscription of this name at least once, in all workspaces, in order, by one
   * process at a time; also changes while no process runs. Survives restarts and kills. Unhandled changes are kept for
   * `EVENT_RETENTION_HOURS` or `WEBHOOK_RETENTION_DAYS`, whichever is longer.
   * @returns a function that ends it in this process once its handler has ended; the consumer keeps its position
   * @throws TypeError for an invalid subscription; DatabaseUnavailable
   */
  subscribe(subscription: UserGroupSubscription): Promise<() => Promise<void>> {
    return this.consumers.run(subscription);
  }

  /** A failing listener does not affect the others. */
  private contain({ name: listener }: UserGroupListener, tell: () => unknown): void {
    const report = (err: unknown) => {
      this.logger.error({ msg: 'a listener failed', listener, err });
    };
    try {
      Promise.resolve(tell()).catch(report);
    } catch (err) {
      report(err);
    }
  }
}
