import { signal } from './signal.ts';
import type { Scope, Session, SignInState } from './own-types.ts';

/** `undefined` until it is known, `null` if nobody is signed in. An ended session stays while {@link isAway}. */
export const session = signal<Session | null | undefined>(undefined);

/** Tells whether the session has ended, and its page waits, outside of the document, for the same person to sign in again. */
export const isAway = signal(false);

/** The available ways to sign in. */
export const ways = signal<SignInState['ways']>(['api_token']);

/** The reason why the last session ended, unless it was a sign-out here. */
export const endedBecause = signal('');

/** Grows when the service can be reached or the person is there again. */
export const returns = signal(0);

/** The other tabs of the console in this browser. */
const tabs = new BroadcastChannel(new URL('./', location.href).pathname);

/** A session that another tab has begun, or the id of the one that it has ended. */
type Told = { begun: true } | { ended: string };

const tell = (told: Told) => {
  tabs.postMessage(told);
};

/** Makes the page wait until its person signs in again. The first reason stays. */
export function ended(why: string): void {
  if (!session.value || isAway.value) return;
  endedBecause.value = why;
  isAway.value = true;
}

export function personOf({ workspace, api_token, subject }: Session): string {
  return JSON.stringify([workspace.name, api_token.id, subject]);
}

/** Begins a session, or goes on with the one that another tab has begun. */
export function enter(own: Session, isNew = false): void {
  session.value = own;
  isAway.value = false;
  endedBecause.value = '';
  returns.value += 1;
  if (isNew) tell({ begun: true });
}

/** Ends the session here, and what the page keeps of it. */
export function leave(): void {
  if (session.value) tell({ ended: session.value.id });
  session.value = null;
  isAway.value = false;
  endedBecause.value = '';
}

let onSignIn: (() => void) | undefined;

// Listens for as long as the page is there: the frame and the sign-in page take turns.
tabs.addEventListener('message', ({ data }: MessageEvent<Told>) => {
  if ('begun' in data) onSignIn?.();
  else if (data.ended === session.value?.id) {
    ended('');
    // The service has told a less exact reason if its message was earlier.
    endedBecause.value = 'You signed out in another tab.';
  }
});

/** Calls `run` when another tab has signed in; returns what ends that. */
export function followSignIns(run: () => void): () => void {
  onSignIn = run;
  return () => {
    onSignIn = undefined;
  };
}

/** Tells whether the service has a feature. */
export function has(feature: string): boolean {
  return session.value?.features.includes(feature) ?? false;
}

/** The scope that shows tokens of user groups. */
export const SHOWING = 'user-group-tokens:read';

export function may(scope: Scope): boolean {
  return session.value?.scopes.includes(scope) ?? false;
}
