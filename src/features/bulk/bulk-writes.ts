import { Injectable, Logger } from '@nestjs/common';
import { type AbstractHttpAdapter, HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, requireScope } from '../../platform/common/access/caller.ts';
import type { Scope } from '../../platform/common/access/scopes.ts';
import {
  DatabaseUnavailable,
  InternalError,
  ShuttingDown,
  TooManyAtOnce,
} from '../../platform/common/problem/errors.ts';
import { ServiceError } from '../../platform/common/problem/problem.ts';
import type { Outcome } from '../../platform/database/waves/shared-writes.ts';
import { RateLimits } from '../../core/rate-limit/rate-limits.ts';
import type {
  UserGroupWrite,
  WrittenUserGroup,
} from '../../core/user-group/writing/user-group-write.ts';

/** The writes of one transaction: few enough that nobody waits long for a lock on one of their groups. */
const BATCH = 200;

/** Asks the rate limits again after this time, and notices the end of the server. */
const PAUSE_MS = 1000;

const MAX_ATTEMPTS = 10;
const RETRY_MS = 500;

/** Items that the rate limits admit, with the caller renewed for them. */
export interface Admitted<T> {
  caller: Caller;
  items: T[];
}

/** The permission that a long call must still have. */
export type Needed = readonly [scope: Scope, doing: string];

export type Outcomes = Outcome<WrittenUserGroup>[];

/** Runs the writes of a call that has any number of them: each counts as a call for the rate limits of its caller. */
@Injectable()
export class BulkWrites {
  private readonly logger = new Logger(BulkWrites.name);

  constructor(
    private readonly limits: RateLimits,
    private readonly host: HttpAdapterHost,
  ) {}

  /**
   * Yields at most 200 items at a time, as the rate limits of the caller permit, and empty lists while it has to wait or
   * if there are none.
   * Renews the caller, because the call can outlive the API token that it began with.
   * @throws ShuttingDown, ApiTokenInvalid, InsufficientScope
   */
  async *admit<T>(
    caller: Caller,
    items: readonly T[],
    needed: readonly Needed[],
  ): AsyncGenerator<Admitted<T>> {
    let rest = items;
    do {
      if (this.isEnding()) throw new ShuttingDown();
      const current = await caller.renew();
      for (const [scope, doing] of needed) requireScope(current, scope, doing);
      const wanted = Math.min(rest.length, BATCH);
      const granted = wanted === 0 ? 0 : await this.limits.take(current, wanted);
      yield { caller: current, items: rest.slice(0, granted) };
      rest = rest.slice(granted);
      if (granted < wanted) await sleep(PAUSE_MS);
    } while (rest.length > 0);
  }

  /** Runs `work`, and retries it for a few seconds while the database or the workspace is busy. */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const isPassing = error instanceof DatabaseUnavailable || error instanceof TooManyAtOnce;
        if (!isPassing || attempt === MAX_ATTEMPTS) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  /**
   * Stores writes of different groups, and retries for a few seconds those that failed because of an outage.
   * @param store stores some of them, and returns their outcomes in order
   * @throws DatabaseUnavailable, AuditUnavailable; some may be stored by then, and can safely be stored again
   */
  async withRetry(
    writes: readonly UserGroupWrite[],
    store: (writes: readonly UserGroupWrite[]) => Promise<Outcomes>,
  ): Promise<Outcomes> {
    let outcomes: Map<UserGroupWrite, Outcome<WrittenUserGroup>> | undefined;
    let left = writes;
    for (let attempt = 1; left.length > 0; attempt++) {
      const stored = await store(left).catch((error: unknown): Outcomes =>
        left.map(() => ({ error })),
      );
      const outage = stored.find(isOutage)?.error;
      if (outage === undefined && !outcomes) return stored;
      outcomes ??= new Map();
      for (const [index, write] of left.entries()) outcomes.set(write, stored[index]!);
      if (outage === undefined) break;
      if (!(outage instanceof DatabaseUnavailable) || attempt === MAX_ATTEMPTS) throw outage;
      left = left.filter((_write, index) => isOutage(stored[index]!));
      await sleep(RETRY_MS);
    }
    return writes.map((write) => outcomes!.get(write)!);
  }

  toServiceError(error: unknown): ServiceError {
    if (error instanceof ServiceError) return error;
    this.logger.error({ msg: 'could not store a group', err: error });
    return new InternalError(error);
  }

  /** Tells whether the server is closing; a running call then reports its progress. */
  private isEnding(): boolean {
    // The command line has no server.
    const adapter = this.host.httpAdapter as AbstractHttpAdapter<Server> | undefined;
    return adapter?.getHttpServer().listening === false;
  }
}

/** Tells whether a write failed for a reason unrelated to its group. */
function isOutage(outcome: Outcome<unknown>): outcome is { error: ServiceError } {
  if ('value' in outcome) return false;
  const { error } = outcome;
  return error instanceof ServiceError && error.spec.status === 503;
}
