import { textThat } from '../../../platform/common/fields.ts';
import { changeKinds } from '../../../core/audit/audit-log.ts';
import {
  areGlobsOf,
  isGlobOf,
  type KindFilter,
  kindsMatching,
} from '../../../platform/common/globs.ts';

/** Tells whether a text is a glob that matches any type of event of a workspace. */
export function isUsableGlob(text: string): boolean {
  return isGlobOf(text, changeKinds());
}

export const eventTypesViolations = textThat(
  // PostgreSQL itself writes the last one, for every workspace.
  (text) => areGlobsOf(text.split(','), [...changeKinds(), 'database.write']),
  'The types must be separated by commas, and each match a type of event, such as user_group.* does.',
);

/** Makes the filter of a list that `eventTypesViolations` has accepted; without a list it admits everything. */
export function admitting(types: string | undefined): KindFilter {
  return types === undefined ? () => true : kindsMatching(types.split(','));
}
