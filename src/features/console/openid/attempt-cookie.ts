import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SignInFailed } from '../console.errors.ts';
import { ConsoleSite } from '../console-site.ts';
import { isPlace } from './begin-sign-in.dto.ts';
import type { SignInAttempt } from './identity-provider.ts';

const NAME = 'console-sign-in';
const LIFE_SECONDS = 600;

/** The cookie's content while the user is at the identity provider. */
export interface KeptAttempt extends SignInAttempt {
  /** The name of the workspace to enter; undefined for the first granted one. */
  workspace: string | undefined;
  /** The place in the page to return to; undefined for its start. */
  place: string | undefined;
  /**
   * SHA-256 of the secret of the browser's session: the browser does not send the session's own cookie after the
   * redirect, because it is `SameSite=Strict`.
   */
  previous: Buffer | undefined;
}

/**
 * Stores a sign-in attempt in the browser that began it, so that nobody can be led to finish the attempt of another.
 * `Lax`, because the identity provider redirects the browser from its own site.
 */
@Injectable()
export class AttemptCookie {
  constructor(private readonly site: ConsoleSite) {}

  /** @throws SignInFailed without a valid attempt */
  of(request: Request): KeptAttempt {
    const [text = ''] = this.site.cookiesOf(request, NAME);
    try {
      const attempt = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<
        string,
        unknown
      >;
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
      // A malformed cookie counts as a missing one.
    }
    throw new SignInFailed();
  }

  /** Returns the cookie that holds the attempt; or the one that removes it. @throws ConsoleNotSecure */
  toCookie(request: Request, attempt: KeptAttempt | undefined): string {
    const written = attempt && { ...attempt, previous: attempt.previous?.toString('base64url') };
    const value = written && Buffer.from(JSON.stringify(written)).toString('base64url');
    const attributes = ['SameSite=Lax', `Max-Age=${LIFE_SECONDS}`];
    return this.site.setCookie(request, NAME, value, attributes);
  }
}
