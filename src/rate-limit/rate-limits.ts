import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../common/caller.ts';
import { Config } from '../config/config.ts';
import { type Count, Limiter } from './limiter.ts';
import { RateLimitStore } from './rate-limit-store.ts';
import { isExceeded, reportCounts } from './report-counts.ts';

const MESSAGES = {
  apiToken: 'The API token has made too many requests in this minute.',
  workspace: 'The API tokens of the workspace have made too many requests in this minute.',
};

/** The share of each limit that imports leave to other calls. */
const RESERVED = 0.1;

/** How much of a request is granted now. */
export interface Share {
  granted: number;
  /** Milliseconds until a retry is worthwhile, if nothing is granted. */
  retryMs: number;
}

/** The requests per minute of all API tokens of a workspace together; 0 for any number. */
export function workspaceRateLimitOf({
  rateLimitPerMinute,
  workspaceRateLimitPerMinute,
}: Config): number {
  return workspaceRateLimitPerMinute ?? 5 * rateLimitPerMinute;
}

/**
 * Limits what callers do in a minute: each API token RATE_LIMIT_PER_MINUTE requests, all of a
 * workspace together WORKSPACE_RATE_LIMIT_PER_MINUTE. A rotated token shares the count of its
 * predecessor, so that rotating does not reset it.
 */
@Injectable()
export class RateLimits {
  private readonly requests: readonly Limiter[];
  private readonly introspections: readonly Limiter[];

  constructor(config: Config, store: RateLimitStore) {
    const perToken = config.rateLimitPerMinute;
    const perWorkspace = workspaceRateLimitOf(config);
    const limitersOf = (ofToken: string, ofWorkspace: string) => [
      new Limiter({ name: ofToken, perMinute: perToken, message: MESSAGES.apiToken }, store),
      new Limiter(
        { name: ofWorkspace, perMinute: perWorkspace, message: MESSAGES.workspace },
        store,
      ),
    ];
    this.requests = limitersOf('api-token', 'workspace');
    this.introspections = limitersOf('introspection', 'workspace-introspection');
  }

  /** Whether there is any limit; without one nothing has to be counted. */
  isLimited({ isIntrospection }: { isIntrospection: boolean }): boolean {
    return this.limitersFor(isIntrospection).some(({ isLimiting }) => isLimiting);
  }

  /**
   * Counts one call; introspections are counted separately, so that viewers of dashboards never use
   * up the limit of their host application. Sets the `RateLimit` fields of the answer.
   * @throws RateLimited; the call then counts towards the exceeded limit alone, so that one runaway
   *   token does not use up the workspace's limit
   */
  async countCall(
    caller: Caller,
    { isIntrospection }: { isIntrospection: boolean },
    response: Response,
  ): Promise<void> {
    const limiters = this.limitersFor(isIntrospection);
    const counts = await this.count(limiters, caller, 1);
    const known = counts.filter((count) => count !== undefined);
    if (known.some(isExceeded)) {
      const isWithin = counts.map((count) => count !== undefined && !isExceeded(count));
      await this.takeBack(limiters, caller, (index) => (isWithin[index] ? 1 : 0));
    }
    reportCounts(known, response);
  }

  /**
   * Counts as many of the `wanted` requests as are allowed now, leaving a tenth of each limit to
   * callers that do not wait. The operator at the command line has no limit.
   */
  async take(caller: Caller, wanted: number): Promise<Share> {
    const counts = (await this.count(this.requests, caller, wanted)).filter(
      (count) => count !== undefined,
    );
    const missing = Math.max(0, ...counts.map((count) => excessOf(count, wanted)));
    if (missing > 0) await this.takeBack(this.requests, caller, () => missing);
    const exhausted = counts.filter((count) => excessOf(count, wanted) === wanted);
    return {
      granted: wanted - missing,
      retryMs: Math.max(0, ...exhausted.map(({ resetMs }) => resetMs)),
    };
  }

  private limitersFor(isIntrospection: boolean): readonly Limiter[] {
    return isIntrospection ? this.introspections : this.requests;
  }

  private count(
    limiters: readonly Limiter[],
    caller: Caller,
    points: number,
  ): Promise<(Count | undefined)[]> {
    const keys = keysOf(caller);
    return Promise.all(keys.map((key, index) => limiters[index]!.count(key, points)));
  }

  private async takeBack(
    limiters: readonly Limiter[],
    caller: Caller,
    pointsOf: (index: number) => number,
  ): Promise<void> {
    const takeBackAt = async (key: number, index: number) => {
      const points = pointsOf(index);
      if (points > 0) await limiters[index]!.takeBack(key, points);
    };
    await Promise.all(keysOf(caller).map(takeBackAt));
  }
}

/** The keys under which a caller's calls are counted, in the order of the limiters. */
function keysOf({ firstTokenId, workspaceId }: Caller): number[] {
  return firstTokenId === null ? [] : [firstTokenId, workspaceId];
}

function excessOf({ policy: { perMinute }, consumed }: Count, wanted: number): number {
  const usable = perMinute - Math.floor(perMinute * RESERVED);
  return Math.min(wanted, Math.max(0, consumed - usable));
}
