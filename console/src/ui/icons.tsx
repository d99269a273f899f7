/** The pictures of `index.html`: they are there before the scripts. */
export type IconName =
  | 'overview'
  | 'groups'
  | 'key'
  | 'registry'
  | 'target'
  | 'audit'
  | 'webhook'
  | 'events'
  | 'sessions'
  | 'system'
  | 'search'
  | 'inspect'
  | 'menu'
  | 'copy'
  | 'code'
  | 'check'
  | 'close'
  | 'plus'
  | 'more'
  | 'sun'
  | 'moon'
  | 'auto'
  | 'clock'
  | 'leave'
  | 'help'
  | 'warning'
  | 'down'
  | 'right'
  | 'left'
  | 'reload'
  | 'eye'
  | 'pause'
  | 'play';

/** A picture next to words that say the same, hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <use href={`#icon-${name}`} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <circle cx="12" cy="12.5" r="4" />
      <path d="M4.5 24a7.5 7.5 0 0 1 15 0z" />
      <circle class="faint" cx="21.5" cy="14" r="3" />
      <path class="faint" d="M21.5 24h6a6 6 0 0 0-8.3-5.5 9.5 9.5 0 0 1 2.3 5.5z" />
    </svg>
  );
}
