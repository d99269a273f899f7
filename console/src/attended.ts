// What the page asks by itself must not keep a session alive that nobody uses.
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

/** Whether somebody is at the page: it is shown, and was touched within ten minutes. */
export function isAttended(): boolean {
  return !document.hidden && Date.now() - lastInput < FOR;
}
