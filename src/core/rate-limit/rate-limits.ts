import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../../platform/common/access/caller.ts';
import { Config } from '../../platform/config/config.ts';
import { countCalls, type KeyedLimit, type CallLimit, reportCounts } from './limits.ts';
import { RateLimitStore } from './rate-limit-store.ts';

const MESSAGES = {
  apiToken: 'The API token has made too many requests.',
  workspace: 'The API tokens of the workspace have made too many requests.',
};

/** The limit of all API tokens of a workspace together, in limits of one of them. */
const TOKENS_OF_WORKSPACE = 5;

/** The share of each limit that imports leave to other calls. */
const RESERVED = 0.1;

/** Requests per minute of all API tokens of a workspace together; 0 for no limit. */
export function workspaceRateLimitOf({
  rateLimitPerMinute,
  workspaceRateLimitPerMinute,
}: Config): number {
  return workspaceRateLimitPerMinute ?? TOKENS_OF_WORKSPACE * rateLimitPerMinute;
}

/**
 * Limits calls: each API token RATE_LIMIT_PER_MINUTE requests, all of a workspace together
 * WORKSPACE_RATE_LIMIT_PER_MINUTE. A rotated token shares the count of its predecessor, so that rotating does not reset
 * it. Introspections have limits of their own, so that viewers of dashboards never use up the limit of their host
 * application.
 */
@Injectable()
export class RateLimits {
  private readonly requests: readonly CallLimit[];
  private readonly introspections: readonly CallLimit[];

  constructor(
    config: Config,
    private readonly store: RateLimitStore,
  ) {
    const { apiToken, workspace } = MESSAGES;
    const perIntrospector = config.introspectionRateLimitPerMinute;
    this.requests = [
      { name: 'api-token', perMinute: config.rateLimitPerMinute, message: apiToken },
      { name: 'workspace', perMinute: workspaceRateLimitOf(config), message: workspace },
    ];
    this.introspections = [
      { name: 'introspection', perMinute: perIntrospector, message: apiToken },
      {
        name: 'workspace-introspection',
        perMinute: TOKENS_OF_WORKSPACE * perIntrospector,
        message: workspace,
      },
    ];
  }

  isLimited({ isIntrospection }: { isIntrospection: boolean }): boolean {
    return this.limitsFor(isIntrospection).some(({ perMinute }) => perMinute > 0);
  }

  /**
   * Counts one call. Sets the `RateLimit` fields of the response.
   * @throws RateLimited; the call is then not counted, so that one runaway token does not use up the workspace's limit
   */
  async countCall(
    caller: Caller,
    { isIntrospection }: { isIntrospection: boolean },
    response: Response,
  ): Promise<void> {
    reportCounts(
      await countCalls(this.store, keyed(this.limitsFor(isIntrospection), caller)),
      response,
    );
  }

  /**
   * Counts as many of the `wanted` requests as are allowed now, leaving a tenth of each limit to callers that do not
   * wait, and returns their number. The operator at the command line has no limit.
   */
  async take(caller: Caller, wanted: number): Promise<number> {
    const limits = keyed(this.requests, caller);
    return (await countCalls(this.store, limits, { wanted, reserve: RESERVED })).granted;
  }

  private limitsFor(isIntrospection: boolean): readonly CallLimit[] {
    return isIntrospection ? this.introspections : this.requests;
  }
}

function keyed(
  [ofToken, ofWorkspace]: readonly CallLimit[],
  { firstTokenId, workspaceId }: Caller,
): KeyedLimit[] {
  return firstTokenId === null
    ? []
    : [
        [ofToken!, firstTokenId],
        [ofWorkspace!, workspaceId],
      ];
}
