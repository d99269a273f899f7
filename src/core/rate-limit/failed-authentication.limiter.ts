import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  AddressNotAllowed,
  ApiTokenInvalid,
  CredentialsMalformed,
  RateLimited,
} from '../../platform/common/problem/errors.ts';
import {
  addressBlock,
  clientAddress,
} from '../../platform/common/http/parameters/client-address.ts';
import { Config } from '../../platform/config/config.ts';
import { countCalls, type CallLimit, reportCounts } from './limits.ts';
import { RateLimitStore } from './rate-limit-store.ts';

const GUESSES = [ApiTokenInvalid, CredentialsMalformed, AddressNotAllowed];
const MESSAGE = 'Too many failed authentications from this address.';

/**
 * Allows each client address `AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE` failed authentications a minute. Calls with a valid
 * token are never counted, so that nobody's wrong tokens lock out a valid one.
 */
@Injectable()
export class FailedAuthenticationLimiter {
  private readonly limit: CallLimit;

  constructor(
    config: Config,
    private readonly store: RateLimitStore,
  ) {
    const perMinute = config.authenticationFailureLimitPerMinute;
    this.limit = { name: 'failed-authentication', perMinute, message: MESSAGE };
  }

  /**
   * Counts a failed authentication by a wrong or malformed token, or by a valid one from a disallowed address; a
   * missing header is no guess.
   * @throws the errors of `countGuess`
   */
  async count(error: unknown, request: Request, response: Response): Promise<void> {
    if (GUESSES.some((type) => error instanceof type)) {
      await this.countGuess(error, request, response);
    }
  }

  /**
   * Counts a failed authentication. Unknown addresses are not counted: a common count would let one client lock out
   * the others. Sets the `RateLimit` fields of the response.
   * @throws RateLimited in place of `error`, which is its cause, if the address has failed too often
   */
  async countGuess(error: unknown, request: Request, response: Response): Promise<void> {
    const address = clientAddress(request);
    if (address === undefined) return;
    try {
      reportCounts(await countCalls(this.store, [[this.limit, addressBlock(address)]]), response);
    } catch (limited) {
      if (limited instanceof RateLimited) limited.cause = error;
      throw limited;
    }
  }
}
