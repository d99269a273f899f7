import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { ChangeRecord } from '../database/change-reader.ts';
import { ChangeTail, type TailFollower } from './change-tail.ts';
import { type EventView, toEventView } from './dto/event-answer.dto.ts';

/** An event as `/api/v1/events` shows it, and of which workspace it is. */
export interface UserGroupEvent extends EventView {
  /** Null for what may have changed anything in any workspace. */
  workspace_id: number | null;
}

/** Code in the same process that wants to know what changes. */
export interface UserGroupListener {
  /** Called for each change once it is committed; what it throws is logged. */
  hear(event: UserGroupEvent): void;
  /** Changes may have been missed: whatever was kept of groups is stale. Called with the first event to follow. */
  lose?(): void;
}

/** Tells code in the same process of every change that any process of the installation has committed. */
@Injectable()
export class UserGroupEvents implements BeforeApplicationShutdown {
  private readonly logger = new Logger(UserGroupEvents.name);
  private readonly ends = new Set<() => void>();

  constructor(private readonly tail: ChangeTail) {}

  /**
   * Tells of changes from now on, in all workspaces, usually within 250 ms. It remembers nothing: what is
   * committed while no process listens is not told later, as `/api/v1/events` would.
   * @returns ends it before the application ends
   */
  listen(listener: UserGroupListener): () => void {
    let unfollow = (): void => undefined;
    const follower: TailFollower = {
      hear: ({ changes }) => {
        for (const change of changes)
          this.guard(() => {
            listener.hear(toEvent(change));
          });
      },
      lose: () => {
        this.guard(() => listener.lose?.());
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

  /** Nobody's mistake ends the others' events. */
  private guard(tell: () => void): void {
    try {
      tell();
    } catch (err) {
      this.logger.error({ msg: 'a listener has failed', err });
    }
  }
}

function toEvent(change: ChangeRecord): UserGroupEvent {
  return { ...toEventView(change), workspace_id: change.workspaceId };
}
