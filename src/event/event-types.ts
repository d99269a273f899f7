import { changeKinds } from '../audit/audit-log.ts';
import type { Violation } from '../common/violation.ts';

/** What is told of every workspace at once: PostgreSQL itself has written it. */
const ANYTHING = 'database.write';

const GLOB = /^[a-z_*]+(?:\.[a-z_*]+)?$/;
const MAX_GLOB_LENGTH = 100;
const MAX_GLOBS = 50;

/** Whether a text is a glob that matches some type of event of a workspace. */
export function isUsableGlob(text: string): boolean {
  return isGlobOf(text, changeKinds);
}

function isGlobOf(text: string, types: readonly string[]): boolean {
  if (text.length > MAX_GLOB_LENGTH || !GLOB.test(text)) return false;
  return types.some((type) => matches(text, type));
}

/** Whether one of the globs matches; `*` stands for any characters, none among them. */
export function matchesAny(globs: readonly string[], type: string): boolean {
  return globs.some((glob) => matches(glob, type));
}

/** Validates a list of globs, separated by commas. */
export function typesViolations(value: unknown, pointer: string): Violation[] {
  const globs = typeof value === 'string' ? value.split(',') : [];
  if (globs.length > 0 && globs.length <= MAX_GLOBS && globs.every(isFeedGlob)) return [];
  const detail =
    'The types must be separated by commas, and each match one of docs/events.md, such as user_group.* does.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** What a list that `typesViolations` has accepted admits; without one everything. */
export function admitting(types: string | undefined): (type: string) => boolean {
  if (types === undefined) return () => true;
  const globs = types.split(',');
  return (type) => matchesAny(globs, type);
}

function isFeedGlob(text: string): boolean {
  return isGlobOf(text, [...changeKinds, ANYTHING]);
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
