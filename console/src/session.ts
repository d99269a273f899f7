import { signal } from '@preact/signals';
import type { Scope, Session, SignInState } from './own-types.ts';

/** `undefined` until it is known, `null` if nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** The available ways to sign in. */
export const ways = signal<SignInState['ways']>(['api_token']);

/** The reason why the last session ended, unless it was a sign-out. */
export const endedBecause = signal('');

export function ended(code: string): void {
  if (session.value) endedBecause.value = code;
  session.value = null;
}

export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}
