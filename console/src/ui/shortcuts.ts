import { useEffect } from 'preact/hooks';
import { isAway } from '../session.ts';

/** Tells whether a key is for a dialog, a field, the browser or the sign-in, and not for the page. */
export function isTaken({
  ctrlKey,
  metaKey,
  altKey,
  target,
  defaultPrevented,
}: KeyboardEvent): boolean {
  if (isAway.value || ctrlKey || metaKey || altKey || defaultPrevented) return true;
  if (document.querySelector('dialog[open]')) return true;
  return (
    target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select')
  );
}

/** Runs an action of the page when its key is pressed. */
export function useShortcuts(actions: Record<string, (() => void) | undefined>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const action = Object.hasOwn(actions, event.key) && actions[event.key];
      if (!action || isTaken(event)) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}
