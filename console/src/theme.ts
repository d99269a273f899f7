import { keptChoice } from './kept-choice.ts';

export const theme = keptChoice('console-theme', ['auto', 'light', 'dark']);

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

export function setTheme(choice: typeof theme.value): void {
  theme.choose(choice);
  applyTheme();
}
