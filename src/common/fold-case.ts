/** Makes texts alike that differ in the case of letters alone, also where it depends on the place in a word. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
