const GLOB = /^[a-z_*]+(?:\.[a-z_*]+)?$/;
const MAX_GLOB_LENGTH = 100;
const MAX_GLOBS = 50;

export type KindFilter = (kind: string) => boolean;

/** Tells whether a value is a list of 1 to 50 globs that each match one of the kinds, such as `user_group.*`. */
export function areGlobsOf(value: unknown, kinds: readonly string[]): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_GLOBS) return false;
  return value.every((glob) => typeof glob === 'string' && isGlobOf(glob, kinds));
}

/** Tells whether a text is a glob that matches one of the kinds. */
export function isGlobOf(text: string, kinds: readonly string[]): boolean {
  return text.length <= MAX_GLOB_LENGTH && GLOB.test(text) && kinds.some(matcherOf(text));
}

/**
 * Makes a filter of globs, in which `*` stands for any number of characters. It compares the globs with each kind once,
 * however many changes have that kind. It also matches kinds that a newer version has written.
 */
export function kindsMatching(globs: readonly string[]): KindFilter {
  const matchers = globs.map(matcherOf);
  const known = new Map<string, boolean>();
  return (kind) => {
    let isMatched = known.get(kind);
    if (isMatched === undefined) {
      isMatched = matchers.some((matches) => matches(kind));
      known.set(kind, isMatched);
    }
    return isMatched;
  };
}

/** Compares piece by piece, from left to right, so that no glob makes it slow. */
function matcherOf(glob: string): KindFilter {
  const [first = '', ...rest] = glob.split('*');
  const last = rest.pop();
  if (last === undefined) return (kind) => kind === glob;
  return (kind) => {
    if (!kind.startsWith(first)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = kind.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return kind.length - last.length >= at && kind.endsWith(last);
  };
}
