import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  AddressNotAllowed,
  ApiTokenInvalid,
  CredentialsMalformed,
  RateLimited,
  SignInFailed,
} from '../common/errors.ts';
import { addressBlock, clientAddress } from '../common/http/client-address.ts';
import { Config } from '../config/config.ts';
import { Limiter } from './limiter.ts';
import { RateLimitStore } from './rate-limit-store.ts';
import { reportCounts } from './report-counts.ts';

const GUESSES = [ApiTokenInvalid, CredentialsMalformed, AddressNotAllowed, SignInFailed];
const MESSAGE = 'Too many failed authentications from this address in this minute.';

/**
 * Allows each client address `FAILED_AUTHENTICATIONS_PER_MINUTE` failed authentications a minute.
 * Calls with a right token are never counted, so that nobody's wrong tokens lock out a right one.
 */
@Injectable()
export class FailedAuthenticationLimiter {
  private readonly failures: Limiter;

  constructor(config: Config, store: RateLimitStore) {
    const perMinute = config.failedAuthenticationsPerMinute;
    const policy = { name: 'failed-authentication', perMinute, message: MESSAGE };
    this.failures = new Limiter(policy, store);
  }

  /**
   * Counts a failed authentication by a wrong or malformed token, or by a valid one from an address
   * it may not be used from; a missing header is no guess. Counts no client whose address is unknown:
   * one count for all of them would let one lock out the others. Sets the `RateLimit` fields of the
   * answer.
   * @throws RateLimited, to be answered instead of `error`, which is its cause, if the address has
   *   failed too often
   */
  async count(error: unknown, request: Request, response: Response): Promise<void> {
    if (!GUESSES.some((type) => error instanceof type)) return;
    const address = clientAddress(request);
    if (address === undefined) return;
    try {
      const count = await this.failures.count(addressBlock(address));
      reportCounts(count ? [count] : [], response);
    } catch (limited) {
      if (limited instanceof RateLimited) limited.cause = error;
      throw limited;
    }
  }
}
