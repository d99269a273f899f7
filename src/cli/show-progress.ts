/** One line that is written over again, for people only. */
export function showProgress(share: number): void {
  show(`${Math.floor(share * 100)} %${share === 1 ? '\n' : ''}`);
}

/** As `showProgress`, where nobody knows how much there is. */
export function showCount(count: number): void {
  show(String(count));
}

function show(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
}
