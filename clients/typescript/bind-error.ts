/** The reason why a statement cannot be bound; docs/reference/bind-variables.md explains each. */
export type BindErrorCode =
  | 'variable_unknown'
  | 'variable_missing'
  | 'variable_type'
  | 'variable_digits'
  | 'variable_text'
  | 'identifier_not_allowed'
  | 'list_misplaced'
  | 'list_empty'
  | 'placeholder_quoted'
  | 'placeholder_malformed'
  | 'placeholder_adjacent'
  | 'placeholder_foreign'
  | 'clause_malformed'
  | 'text_ambiguous'
  | 'text_unterminated';

/** A statement cannot be bound, and must not run. The message shows no value. */
export class BindError extends Error {
  override readonly name = 'BindError';

  /**
   * @param code stable: decide by this
   * @param position an index of the SQL, from 0
   * @param variable the name of the variable that is the reason, if one is
   */
  constructor(
    readonly code: BindErrorCode,
    detail: string,
    sql: string,
    readonly position: number,
    readonly variable?: string,
  ) {
    const lines = sql.slice(0, position).split('\n');
    super(`${detail} (line ${lines.length}, column ${lines.at(-1)!.length + 1})`);
  }
}
