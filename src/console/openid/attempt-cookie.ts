import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SignInFailed } from '../../common/errors.ts';
import { ConsoleSite } from '../console-site.ts';
import { isPlace } from './begin-sign-in.dto.ts';
import type { Attempt } from './identity-provider.ts';

const NAME = 'console-sign-in';
const LIFE_SECONDS = 600;

/** What is kept in the browser while its user is at the identity provider. */
export interface KeptAttempt extends Attempt {
  /** The name of the workspace to enter; undefined for the first that is granted. */
  workspace: string | undefined;
  /** Where in the page to go on; undefined for its beginning. */
  place: string | undefined;
  /**
   * The SHA-256 of the secret of the session that the browser has: behind the identity provider its own
   * cookie does not come, which is `SameSite=Strict`.
   */
  previous: Buffer | undefined;
}

/**
 * Keeps an attempt to sign in with the browser that has begun it, so that nobody can be led to finish
 * the attempt of another. `Lax`, for the identity provider sends the browser back from its own site.
 */
@Injectable()
export class AttemptCookie {
  constructor(private readonly site: ConsoleSite) {}

  /** @throws SignInFailed without an attempt, or with something else */
  of(request: Request): KeptAttempt {
    const [text = ''] = this.site.cookiesOf(request, NAME);
    try {
      const attempt = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<Written>;
      const { state, nonce, verifier, workspace, place, previous } = attempt;
      if ([state, nonce, verifier].every((one) => typeof one === 'string' && one !== '')) {
        const kept = { state, nonce, verifier, place: isPlace(place) ? place : undefined };
        return {
          ...kept,
          workspace: typeof workspace === 'string' ? workspace : undefined,
          previous: typeof previous === 'string' ? Buffer.from(previous, 'base64url') : undefined,
        } as KeptAttempt;
      }
    } catch {
      // As without one.
    }
    throw new SignInFailed();
  }

  /** The cookie that holds the attempt; or takes it away. @throws ConsoleNotSecure */
  toCookie(request: Request, attempt: KeptAttempt | undefined): string {
    const value = attempt && Buffer.from(JSON.stringify(toWritten(attempt))).toString('base64url');
    const attributes = ['SameSite=Lax', `Max-Age=${LIFE_SECONDS}`];
    return this.site.setCookie(request, NAME, value, attributes);
  }
}

/** As it stands in the cookie. */
type Written = Omit<KeptAttempt, 'previous'> & { previous: string | undefined };

function toWritten({ previous, ...attempt }: KeptAttempt): Written {
  return { ...attempt, previous: previous?.toString('base64url') };
}
