import { signal } from '@preact/signals';
import type { Scope, Session, SignInState } from './own-types.ts';

/** Who is signed in: `undefined` until it is known, `null` if nobody is. */
export const session = signal<Session | null | undefined>(undefined);

/** By what somebody can sign in. */
export const ways = signal<SignInState['ways']>(['api_token']);

/** Why the last session has ended, where it was not by signing out. */
export const endedBecause = signal('');

export function ended(code: string): void {
  if (session.value) endedBecause.value = code;
  session.value = null;
}

export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}
