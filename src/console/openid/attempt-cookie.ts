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
      const attempt = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<KeptAttempt>;
      const { state, nonce, verifier, workspace, place } = attempt;
      if ([state, nonce, verifier].every((one) => typeof one === 'string' && one !== '')) {
        const kept = { state, nonce, verifier, place: isPlace(place) ? place : undefined };
        return {
          ...kept,
          workspace: typeof workspace === 'string' ? workspace : undefined,
        } as KeptAttempt;
      }
    } catch {
      // As without one.
    }
    throw new SignInFailed();
  }

  /** The cookie that holds the attempt; or takes it away. @throws ConsoleNotSecure */
  toCookie(request: Request, attempt: KeptAttempt | undefined): string {
    const value = attempt && Buffer.from(JSON.stringify(attempt)).toString('base64url');
    const attributes = ['SameSite=Lax', `Max-Age=${LIFE_SECONDS}`];
    return this.site.setCookie(request, NAME, value, attributes);
  }
}
