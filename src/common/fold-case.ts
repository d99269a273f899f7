/**
 * Returns the same text for texts that differ only in the case of letters, including letters whose case depends on
 * their position.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
