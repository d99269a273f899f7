/** Writes a value as JSON, without characters that a terminal obeys. */
export function toTerminalJson(value: object, indent?: number): string {
  return JSON.stringify(value, null, indent).split('\n').map(withoutControls).join('\n');
}

/** Prints rows under their headings on standard output, in columns as wide as they need to be. */
export function printTable(head: string[], rows: (string | number)[][]): void {
  const lines = [head, ...rows].map((row) => row.map((cell) => withoutControls(String(cell))));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** Escapes control characters: callers choose names, and a terminal would obey such characters. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
