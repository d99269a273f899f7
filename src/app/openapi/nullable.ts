type Node = Record<string, unknown>;

/** Keywords that say the same of null. */
const SHARED = new Set(['description', 'example']);

/**
 * Writes each value that may be null as `anyOf`, null last. Tools that fill in a body, such as Postman's, choose among the types
 * of a list by chance, and of `anyOf` the first: a null that nobody has written would empty a field.
 */
export function separateNull(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const value of Object.values(node)) separateNull(value);
  const { type } = node as Node;
  if (!Array.isArray(type) || type.length !== 2 || type[1] !== 'null') return;
  const own = Object.entries(node).filter(([keyword]) => !SHARED.has(keyword));
  for (const [keyword] of own) Reflect.deleteProperty(node, keyword);
  Object.assign(node, { anyOf: [{ ...Object.fromEntries(own), type: type[0] as unknown }, { type: 'null' }] });
}
