import { useEffect, useRef } from 'preact/hooks';
import { allowed } from '../menu.ts';
import { addressOf, goTo } from '../router.ts';
import { isAway } from '../session.ts';
import { isTaken } from '../ui/shortcuts.ts';

/** The keys that work on every page, but not in a dialog. */
export function useKeys({ onHelp, onFind }: { onHelp: () => void; onFind: () => void }): void {
  const waiting = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key } = event;
      if (isAway.value || document.querySelector('dialog[open]')) return;
      if (
        (event.ctrlKey || event.metaKey) &&
        !event.altKey &&
        !event.shiftKey &&
        key.toLowerCase() === 'k'
      ) {
        event.preventDefault();
        onFind();
        return;
      }
      if (isTaken(event)) return;
      const page = Date.now() - waiting.current < 1500 && allowed().find((one) => one.key === key);
      waiting.current = 0;
      const row = document.querySelector<HTMLElement>('main [data-row]');
      const search = document.querySelector<HTMLElement>('main [data-search]');
      if (page) goTo(addressOf([page.path]));
      else if (key === 'g') waiting.current = Date.now();
      else if (key === '?') onHelp();
      else if (key === '/' && search) search.focus();
      else if (key === '/') onFind();
      else if (key === 'ArrowDown' && row && !document.activeElement?.closest('.table')) {
        row.focus();
      } else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
