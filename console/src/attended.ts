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
