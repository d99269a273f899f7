import { useEffect, useRef } from 'preact/hooks';
import { isOffline } from './api.ts';
import { isAway } from './session.ts';

// Automatic requests must not keep an unused session alive.
const FOR = 10 * 60_000;

let lastInput = Date.now();
for (const kind of ['pointermove', 'pointerdown', 'keydown', 'wheel']) {
  addEventListener(
    kind,
    () => {
      lastInput = Date.now();
    },
    { passive: true },
  );
}

/** Tells whether the page is visible, and was touched within ten minutes. */
export function isAttended(): boolean {
  return !document.hidden && Date.now() - lastInput < FOR;
}

/** Repeats a call while the page is attended and reaches the service. */
export function useRepeated(call: () => void, everyMs: number): void {
  const latest = useRef(call);
  useEffect(() => {
    latest.current = call;
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (isAttended() && !isOffline.value && !isAway.value) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, []);
}
