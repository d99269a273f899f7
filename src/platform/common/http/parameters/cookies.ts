/**
 * Returns the values of the cookies of this name, as a browser sends them (RFC 6265, section 5.4). Only spaces and tabs
 * around a pair are dropped: with other white space before it, a name is another one, which has no prefix for a browser.
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  const pairs = (header ?? '').split(';').map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''));
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
