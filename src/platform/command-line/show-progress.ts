import { clearLine, cursorTo } from 'node:readline';

/** The progress on the last line of the terminal; empty for none. */
let shown = '';

/** Prints progress on one line that it overwrites, if a person is watching. */
export function showProgress(share: number): void {
  show(`${Math.floor(share * 100)} %`);
}

export function showCount(count: number): void {
  show(String(count));
}

/** Prints a line on standard error. Progress moves below it. */
export function printMessage(line: string): void {
  const progress = shown;
  eraseProgress();
  console.error(line);
  if (progress !== '') show(progress);
}

/** Leaves the last progress as it is, and begins another line. */
export function endProgress(): void {
  if (shown !== '') process.stderr.write('\n');
  shown = '';
}

function show(text: string): void {
  if (!process.stderr.isTTY) return;
  eraseProgress();
  process.stderr.write(text);
  shown = text;
}

function eraseProgress(): void {
  if (shown === '') return;
  clearLine(process.stderr, 0);
  cursorTo(process.stderr, 0);
  shown = '';
}
