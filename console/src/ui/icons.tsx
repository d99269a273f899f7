const PATHS = {
  overview: 'M3 13.5h3.500V8H3zM8.300 13.500h3.400V3H8.300zM13.500 13.500H17V10h-3.500zM2.500 17h15',
  groups:
    'M7.500 9.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 16.500a5.500 5.500 0 0 1 11 0M13 4a2.800 2.800 0 0 1 0 5.300M15 12a5.500 5.500 0 0 1 3 4.500',
  key: 'M12.500 11.500a4 4 0 1 0-3.800-2.700L3 14.500V17h2.500v-2H7.500v-2h2l.3-.8a4 4 0 0 0 2.700-.7zM13.500 6.500v.01',
  registry:
    'M3.500 5c0-3.300 13-3.300 13 0v10c0 3.300-13 3.300-13 0zM3.500 5c0 3.300 13 3.300 13 0M3.500 10c0 3.300 13 3.300 13 0',
  audit: 'M5 2.500h7l3.500 3.500v11.500H5zM11.500 2.500V6.500h4M7.500 10h5.500M7.500 13.500h5.500',
  webhook:
    'M7 9.500a3 3 0 1 1 4.500-2.600L14 12M10 7 7 13.500a3 3 0 1 1-3.500-3M14.500 17a3 3 0 1 0-2-5.200M6.500 14h7.500',
  events: 'M2.500 10.500h3l2.500-6 4 11 2.500-5h3',
  sessions: 'M2.500 4h15v10h-15zM7 17h6M10 14v3',
  system: 'M3 3.500h14v5.500H3zM3 11h14v5.500H3zM6 6.200h.01M6 13.800h.01',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.500 13.500 17.500 17.500',
  copy: 'M7 7h9.500v9.500H7zM13 7V3.500H3.500V13H7',
  check: 'M3.500 10.500 8 15l8.500-9.500',
  close: 'M5 5l10 10M15 5 5 15',
  plus: 'M10 4v12M4 10h12',
  more: 'M4.500 10h.01M10 10h.01M15.500 10h.01',
  sun: 'M10 13.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600 16 16M4 16l1.400-1.400M14.600 5.400 16 4',
  moon: 'M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500z',
  auto: 'M10 17a7 7 0 1 0 0-14zM10 3a7 7 0 0 0 0 14',
  leave: 'M8 3H3.500v14H8M12.500 6l4 4-4 4M16.500 10H7.500',
  help: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM7.500 7.800a2.500 2.500 0 1 1 3.600 2.300c-.7.400-1.100.9-1.100 1.700M10 14.300v.01',
  warning: 'M10 3 18 16.500H2zM10 8v4M10 14.300v.01',
  down: 'M5 8l5 5 5-5',
  right: 'M8 5l5 5-5 5',
  left: 'M12 5l-5 5 5 5',
  reload: 'M16.500 10a6.500 6.500 0 1 1-2-4.700M16.500 2.500v3.500H13',
  eye: 'M1.500 10S4.500 4.500 10 4.500 18.500 10 18.500 10 15.500 15.500 10 15.500 1.500 10 1.500 10zM10 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
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
      <path d="M4.500 24a7.500 7.500 0 0 1 15 0z" />
      <circle class="faint" cx="21.500" cy="14" r="3" />
      <path class="faint" d="M21.500 24h6a6 6 0 0 0-8.300-5.500 9.500 9.500 0 0 1 2.300 5.500z" />
    </svg>
  );
}
