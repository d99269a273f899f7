import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { ChangeTail, type TailFollower } from './change-tail.ts';
import type { UserGroupSubscription } from './event-consumer.ts';
import { EventConsumers } from './event-consumers.ts';
import { toUserGroupEvent, type UserGroupEvent } from './user-group-event.ts';

/** Code in the same process that wants to know what changes. */
export interface UserGroupListener {
  /** Names it in the log. */
  name: string;
  /** Called for each change once it is committed; what it throws is logged, and a promise is not awaited. */
  hear(event: UserGroupEvent): void | Promise<void>;
  /** Changes may have been missed: whatever was kept of groups is stale. Called with the first event to follow. */
  lose?(): void | Promise<void>;
}

/** Tells code in the same process of every change that any process of the installation has committed: what it must not miss, and what it may. */
@Injectable()
export class UserGroupEvents implements BeforeApplicationShutdown {
  private readonly logger = new Logger(UserGroupEvents.name);
  private readonly ends = new Set<() => void>();

  /** @internal Nest makes it. */
  constructor(
    private readonly tail: ChangeTail,
    private readonly consumers: EventConsumers,
  ) {}

  /**
   * Tells of changes from now on, in all workspaces, usually within 250 ms. It remembers nothing: what is
   * committed while no process listens is not told later, as `/api/v1/events` would.
   * @returns ends it before the application ends
   */
  listen(listener: UserGroupListener): () => void {
    let unfollow = (): void => undefined;
    const follower: TailFollower = {
      workspaceId: undefined,
      hear: ({ changes }) => {
        for (const change of changes) {
          this.contain(listener, () => listener.hear(toUserGroupEvent(change)));
        }
      },
      lose: () => {
        this.contain(listener, () => listener.lose?.());
        unfollow = this.tail.follow(follower);
      },
    };
    unfollow = this.tail.follow(follower);
    const end = () => {
      this.ends.delete(end);
      unfollow();
    };
    this.ends.add(end);
    return end;
  }

  /** Nobody hears of what comes after; else the process would go on to look at the change log. */
  beforeApplicationShutdown(): void {
    for (const end of this.ends) end();
  }

  /**
   * Has every change from the first subscription of this name on handled at least once, in all workspaces, in order,
   * by one process at a time; also what is committed while no process is there. It survives restarts and kills.
   * What nobody has handled is kept for `EVENT_RETENTION_HOURS` or `WEBHOOK_RETENTION_DAYS`, whichever is longer.
   * @returns ends it in this process, when its handler has ended; the consumer stays where it stands
   * @throws TypeError for a subscription that cannot be; DatabaseUnavailable
   */
  subscribe(subscription: UserGroupSubscription): Promise<() => Promise<void>> {
    return this.consumers.run(subscription);
  }

  /** Nobody's mistake ends the others' events. */
  private contain({ name: listener }: UserGroupListener, tell: () => unknown): void {
    const report = (err: unknown) => {
      this.logger.error({ msg: 'a listener has failed', listener, err });
    };
    try {
      Promise.resolve(tell()).catch(report);
    } catch (err) {
      report(err);
    }
  }
}
