import { changeKinds } from '../../audit/audit-log';

/** Every type of event that an endpoint can be told of. */
const eventTypes: readonly string[] = [...changeKinds].sort();

const GLOB = /^[a-z_*]+(?:\.[a-z_*]+)?$/;

/** Whether a text is a glob that matches some type of event. */
export function isUsableGlob(text: string): boolean {
  return text.length <= 100 && GLOB.test(text) && eventTypes.some((type) => matches(text, type));
}

/** Whether one of the globs matches; `*` stands for any characters, none among them. */
export function matchesAny(globs: readonly string[], type: string): boolean {
  return globs.some((glob) => matches(glob, type));
}

/** Compares piece by piece, from left to right: no glob makes it slow. */
function matches(glob: string, type: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  const last = rest.pop();
  if (last === undefined) return glob === type;
  if (!type.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = type.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return type.length - last.length >= at && type.endsWith(last);
}
