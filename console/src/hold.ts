import { useEffect } from 'preact/hooks';

interface Hold {
  /** Whether something would be lost with the page. */
  isOn: () => boolean;
  /** Asks in the page; without it only the browser asks, before it loads another page. */
  ask?: () => void;
}

const holds = new Set<Hold>();

/** Asks before Back, Forward or a reload loses unsaved work. Returns a function that stops this. */
export function hold(one: Hold): () => void {
  holds.add(one);
  return () => {
    holds.delete(one);
  };
}

/** Holds the page for a part of it, such as one with a draft or a job that runs. */
export function useHold(own: Hold): void {
  useEffect(() => hold(own));
}

/** Returns whether unsaved work holds the page; if so, asks the person. */
export function isHeld(): boolean {
  const held = [...holds].find(({ ask, isOn }) => ask && isOn());
  held?.ask!();
  return held !== undefined;
}

addEventListener('beforeunload', (event) => {
  if ([...holds].some(({ isOn }) => isOn())) event.preventDefault();
});
