import type { Violation } from '../common/violation';

const PATTERN = /^(\*|[a-z_]+\.(\*|[a-z_]+))$/;
const MAX_PATTERNS = 50;

/** Validates a list of types of events: each `noun.verb`, `noun.*` or `*`, separated by commas. */
export function typesViolations(value: unknown, pointer: string): Violation[] {
  const patterns = typeof value === 'string' ? value.split(',') : [];
  if (
    patterns.length > 0 &&
    patterns.length <= MAX_PATTERNS &&
    patterns.every((pattern) => PATTERN.test(pattern))
  ) {
    return [];
  }
  const detail =
    'The types must be such as user_group.update,api_token.* and separated by commas; * is all of them.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** What a list that `typesViolations` has accepted admits; without one everything. */
export function admitting(types: string | undefined): (type: string) => boolean {
  if (types === undefined) return () => true;
  const patterns = new Set(types.split(','));
  return (type) =>
    patterns.has('*') || patterns.has(type) || patterns.has(type.replace(/\..*/, '.*'));
}
