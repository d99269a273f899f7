/** A fault of a request. */
export interface Violation {
  /** JSON Pointer (RFC 6901) of the place in the body; of a parameter its name, as in a body of parameters. */
  pointer: string;
  /** The part of the request that has the parameter; absent for a place in the body. */
  in?: 'query' | 'path';
  code: ViolationCode;
  detail: string;
}

/** Stable codes of faults. */
export type ViolationCode =
  | 'required'
  | 'type'
  | 'not_acceptable'
  | 'empty'
  | 'too_long'
  | 'control_character'
  | 'nul_character'
  | 'lone_surrogate'
  | 'lossy_number'
  | 'too_deep'
  | 'too_large'
  | 'too_many'
  | 'unknown'
  | 'repeated'
  | 'unknown_schema'
  | 'unknown_data_source'
  | 'refers'
  | 'resource_invalid'
  | 'variable_missing'
  | 'variable_not_from_token'
  | 'not_a_subset'
  | 'format_required';

export const violationCodes: Record<ViolationCode, string> = {
  required: 'The field is missing.',
  type: 'The value has another JSON type than the field.',
  not_acceptable: 'The value breaks a rule of the field, which the detail names.',
  empty: 'The text has no character, or the list has no entry.',
  too_long: 'The text is longer than 255 code points or 1,024 bytes of UTF-8.',
  control_character: 'The text holds a control character (U+0000–U+001F, U+007F–U+009F).',
  nul_character: 'A string or key holds the character U+0000.',
  lone_surrogate: 'A string or key holds half of a surrogate pair, which is not a character.',
  lossy_number: 'The number would change its decimal value by being read as a double and printed.',
  too_deep: 'The JSON is nested too deeply.',
  too_large: 'The object or list is longer than allowed when serialised.',
  too_many: 'The object or list has more entries than allowed.',
  unknown: 'There is no field or parameter of this name.',
  repeated:
    'The query or form names the parameter more than once, the list an entry, a mapping one schema by two ids, or an import a group.',
  unknown_schema: 'No schema of the registry has this id.',
  unknown_data_source: 'No data source of the registry has this id.',
  refers: 'This place refers to the schema or the data source.',
  resource_invalid: 'The entry names no resource: its type is not a word.',
  variable_missing: 'The workspace requires every token to have this variable.',
  variable_not_from_token:
    'The workspace declares that the variable is of the group, and it is no list that a token can narrow.',
  not_a_subset: 'The list has an entry that the list of the group does not have.',
  format_required: 'Another field that was sent needs another format.',
};

/** Enough to show a caller the pattern; a hostile body cannot make the response large. */
export const MAX_VIOLATIONS = 20;

/** Says that these faults are of the query, whose parameters were checked like the fields of a body. */
export function inQuery(violations: readonly Violation[]): Violation[] {
  return violations.map((violation) => ({ ...violation, in: 'query' }));
}
