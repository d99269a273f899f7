import { useEffect, useRef } from 'preact/hooks';

interface Hold {
  /** Whether something would be lost with the page. */
  isOn: () => boolean;
  /** Asks in the page; without it only the browser asks, before it loads another page. */
  ask?: () => void;
}

const holds = new Set<{ current: Hold }>();

/** Asks before Back, Forward or a reload loses unsaved work. Returns a function that stops this. */
export function hold(one: { current: Hold }): () => void {
  holds.add(one);
  return () => {
    holds.delete(one);
  };
}

/** Holds the page for a part of it, such as one with a draft or a job that runs. */
export function useHold(own: Hold): void {
  const latest = useRef(own);
  latest.current = own;
  useEffect(() => hold(latest), []);
}

/** Returns whether unsaved work holds the page; if so, asks the person. */
export function isHeld(): boolean {
  const held = [...holds].find(({ current }) => current.ask && current.isOn());
  held?.current.ask!();
  return held !== undefined;
}

addEventListener('beforeunload', (event) => {
  if ([...holds].some(({ current }) => current.isOn())) event.preventDefault();
});
