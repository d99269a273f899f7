const PATHS = {
  overview: 'M3 13.5h3.5V8H3zM8.3 13.5h3.4V3H8.3zM13.5 13.5H17V10h-3.5zM2.5 17h15',
  groups:
    'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 16.5a5.5 5.5 0 0 1 11 0M13 4a2.8 2.8 0 0 1 0 5.3M15 12a5.5 5.5 0 0 1 3 4.5',
  key: 'M12.5 11.5a4 4 0 1 0-3.8-2.7L3 14.5V17h2.5v-2H7.5v-2h2l.3-.8a4 4 0 0 0 2.7-.7zM13.5 6.5v.01',
  registry:
    'M3.5 5c0-3.3 13-3.3 13 0v10c0 3.3-13 3.3-13 0zM3.5 5c0 3.3 13 3.3 13 0M3.5 10c0 3.3 13 3.3 13 0',
  target:
    'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15zM10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  audit: 'M5 2.5h7l3.5 3.5v11.5H5zM11.5 2.5V6.5h4M7.5 10h5.5M7.5 13.5h5.5',
  webhook:
    'M7 9.5a3 3 0 1 1 4.5-2.6L14 12M10 7 7 13.5a3 3 0 1 1-3.5-3M14.5 17a3 3 0 1 0-2-5.2M6.5 14h7.5',
  events: 'M2.5 10.5h3l2.5-6 4 11 2.5-5h3',
  sessions: 'M2.5 4h15v10h-15zM7 17h6M10 14v3',
  system: 'M3 3.5h14v5.5H3zM3 11h14v5.5H3zM6 6.2h.01M6 13.8h.01',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5 17.5 17.5',
  inspect: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5 17.5 17.5M6.5 9l1.8 1.8L11.5 7.5',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  copy: 'M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7',
  code: 'M7 5.5 2.5 10 7 14.5M13 5.5l4.5 4.5-4.5 4.5',
  check: 'M3.5 10.5 8 15l8.5-9.5',
  close: 'M5 5l10 10M15 5 5 15',
  plus: 'M10 4v12M4 10h12',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  sun: 'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M4 16l1.4-1.4M14.6 5.4 16 4',
  moon: 'M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z',
  auto: 'M10 17a7 7 0 1 0 0-14zM10 3a7 7 0 0 0 0 14',
  clock: 'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15zM10 5.5V10l3 2',
  leave: 'M8 3H3.5v14H8M12.5 6l4 4-4 4M16.5 10H7.5',
  help: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM7.5 7.8a2.5 2.5 0 1 1 3.6 2.3c-.7.4-1.1.9-1.1 1.7M10 14.3v.01',
  warning: 'M10 3 18 16.5H2zM10 8v4M10 14.3v.01',
  down: 'M5 8l5 5 5-5',
  right: 'M8 5l5 5-5 5',
  left: 'M12 5l-5 5 5 5',
  reload: 'M16.5 10a6.5 6.5 0 1 1-2-4.7M16.5 2.5v3.5H13',
  eye: 'M1.5 10S4.5 4.5 10 4.5 18.5 10 18.5 10 15.5 15.5 10 15.5 1.5 10 1.5 10zM10 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  pause: 'M7 4v12M13 4v12',
  play: 'M6 4l10 6-10 6z',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture next to words that say the same, hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
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
