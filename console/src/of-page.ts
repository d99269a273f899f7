import { type Signal, signal } from './signal.ts';

const resets: (() => void)[] = [];

/** A signal that {@link forgetSignals} resets, so that the next person sees nothing of the previous one. */
export function ofPage<T>(initial: T): Signal<T> {
  const own = signal(initial);
  resets.push(() => {
    own.value = initial;
  });
  return own;
}

export function forgetSignals(): void {
  for (const reset of resets) reset();
}
