import { signal } from '@preact/signals';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEPT_AS = 'console-theme';

function kept(): Theme {
  try {
    return THEMES.find((one) => one === localStorage.getItem(KEPT_AS)) ?? 'auto';
  } catch {
    // A browser without storage follows the system.
    return 'auto';
  }
}

export const theme = signal<Theme>(kept());

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  applyTheme();
  try {
    localStorage.setItem(KEPT_AS, theme.value);
  } catch {
    // Lasts until the page is left.
  }
}
