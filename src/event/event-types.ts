import { changeKinds } from '../audit/audit-log.ts';
import type { Violation } from '../common/violation.ts';

/** What is told of every workspace at once: PostgreSQL itself has written it. */
const ANYTHING = 'database.write';

const GLOB = /^[a-z_*]+(?:\.[a-z_*]+)?$/;
const MAX_GLOB_LENGTH = 100;
const MAX_GLOBS = 50;

/** Tells whether a kind of change is among those that were asked for. */
export type KindFilter = (kind: string) => boolean;

/** Whether a text is a glob that matches some type of event of a workspace. */
export function isUsableGlob(text: string): boolean {
  return isGlobOf(text, changeKinds);
}

function isGlobOf(text: string, kinds: readonly string[]): boolean {
  return text.length <= MAX_GLOB_LENGTH && GLOB.test(text) && kinds.some(matcherOf(text));
}

/**
 * Makes a filter of globs, of which `*` stands for any characters, none among them. It compares the globs
 * with a kind once, however many changes there are of it. A kind that a newer version has written is matched, too.
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

/** Validates a list of globs, separated by commas. */
export function typesViolations(value: unknown, pointer: string): Violation[] {
  const globs = typeof value === 'string' ? value.split(',') : [];
  if (globs.length > 0 && globs.length <= MAX_GLOBS && globs.every(isFeedGlob)) return [];
  const detail =
    'The types must be separated by commas, and each match one of docs/events.md, such as user_group.* does.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** Makes the filter of a list that `typesViolations` has accepted; without a list it admits everything. */
export function admitting(types: string | undefined): KindFilter {
  return types === undefined ? () => true : kindsMatching(types.split(','));
}

function isFeedGlob(text: string): boolean {
  return isGlobOf(text, [...changeKinds, ANYTHING]);
}

/** Compares piece by piece, from left to right: no glob makes it slow. */
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
