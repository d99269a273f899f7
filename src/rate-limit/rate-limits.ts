import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../common/caller';
import { Config } from '../config/config';
import { type Count, Limiter } from './limiter';
import { Redis } from './redis';
import { isExceeded, tellCounts } from './tell-counts';

const REFUSALS = {
  apiToken: 'The API token has made too many requests in this minute.',
  workspace: 'The API tokens of the workspace have made too many requests in this minute.',
};

/** The part of each limit that imports leave to other calls. */
const RESERVED = 0.1;

/** What may be done now of what was asked for. */
export interface Share {
  granted: number;
  /** If that is nothing: in how many milliseconds there is something to be had again. */
  retryMs: number;
}

/**
 * How much callers may do in a minute: each API token RATE_LIMIT_PER_MINUTE requests, all of a
 * workspace together WORKSPACE_RATE_LIMIT_PER_MINUTE. A token that came of a rotation shares the
 * count of its predecessor, so that nobody begins anew by rotating.
 */
@Injectable()
export class RateLimits {
  private readonly requests: readonly Limiter[];
  private readonly introspections: readonly Limiter[];

  constructor(config: Config, redis: Redis) {
    const perToken = config.rateLimitPerMinute;
    const perWorkspace = config.workspaceRateLimitPerMinute ?? 5 * perToken;
    const limitersOf = (ofToken: string, ofWorkspace: string) => [
      new Limiter(
        { name: ofToken, perMinute: perToken, refusal: REFUSALS.apiToken },
        config,
        redis,
      ),
      new Limiter(
        { name: ofWorkspace, perMinute: perWorkspace, refusal: REFUSALS.workspace },
        config,
        redis,
      ),
    ];
    this.requests = limitersOf('api-token', 'workspace');
    this.introspections = limitersOf('introspection', 'workspace-introspection');
  }

  /**
   * Counts one call, apart for introspections: dashboards that are looked at must not keep their
   * host application from its work. The answer gets the `RateLimit` fields.
   * @throws RateLimited; then it counts for the limit that was exceeded alone, so that one token
   *   which is out of hand does not use up what the workspace has for the others
   */
  async countCall(
    caller: Caller,
    { isIntrospection }: { isIntrospection: boolean },
    response: Response,
  ): Promise<void> {
    const limiters = isIntrospection ? this.introspections : this.requests;
    const counts = await this.count(limiters, caller, 1);
    const known = counts.filter((count) => count !== undefined);
    if (known.some(isExceeded)) {
      const isWithin = counts.map((count) => count !== undefined && !isExceeded(count));
      await this.takeBack(limiters, caller, (index) => (isWithin[index] ? 1 : 0));
    }
    tellCounts(known, response);
  }

  /**
   * Counts as many of `wanted` requests as may be made now; a tenth of each limit is left to those who
   * do not wait. The operator at the command line has no limit.
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

/** Whose calls are counted together, in the order of the limiters. */
function keysOf({ firstTokenId, workspaceId }: Caller): number[] {
  return firstTokenId === null ? [] : [firstTokenId, workspaceId];
}

function excessOf({ policy: { perMinute }, consumed }: Count, wanted: number): number {
  const usable = perMinute - Math.floor(perMinute * RESERVED);
  return Math.min(wanted, Math.max(0, consumed - usable));
}
