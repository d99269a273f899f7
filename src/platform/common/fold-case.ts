/**
 * Returns the same text for texts that differ only in the case of letters, including letters whose case depends on
 * their position, and the dotted capital of Turkish.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
}
