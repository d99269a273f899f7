import { changeKinds } from '../../audit/audit-log.ts';
import { areGlobsOf, isGlobOf, type KindFilter, kindsMatching } from '../../common/globs.ts';
import type { Violation } from '../../common/problem/violation.ts';

/** Tells whether a text is a glob that matches any type of event of a workspace. */
export function isUsableGlob(text: string): boolean {
  return isGlobOf(text, changeKinds());
}

export function typesViolations(value: unknown, pointer: string): Violation[] {
  // PostgreSQL itself writes the last one, for every workspace.
  if (areGlobsOf(typeof value === 'string' ? value.split(',') : [], [...changeKinds(), 'database.write'])) return [];
  const detail = 'The types must be separated by commas, and each match a type of event, such as user_group.* does.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/** Makes the filter of a list that `typesViolations` has accepted; without a list it admits everything. */
export function admitting(types: string | undefined): KindFilter {
  return types === undefined ? () => true : kindsMatching(types.split(','));
}
