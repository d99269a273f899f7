const MAX_LENGTH = 256;

/**
 * Builds the JSON Pointer (RFC 6901) of a path. A pointer longer than 256 characters ends at an ancestor, so that a
 * response cannot be made to echo a large key.
 */
export function toPointer(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const step of path) {
    // Checked before it is escaped: a body may repeat a violation below one enormous key many times.
    if (String(step).length > MAX_LENGTH) break;
    const segment = pointerSegment(step);
    if (pointer.length + segment.length > MAX_LENGTH) break;
    pointer += segment;
  }
  return pointer;
}

/** Returns one step of a JSON Pointer, whatever its length, with the slash before it. */
export function pointerSegment(step: string | number): string {
  return `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
