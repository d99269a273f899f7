/** Prints progress on one line that it overwrites, if a person is watching. */
export function showProgress(share: number): void {
  show(`${Math.floor(share * 100)} %${share === 1 ? '\n' : ''}`);
}

export function showCount(count: number): void {
  show(String(count));
}

function show(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
}
