/** What an operator asked for or configured cannot be done; the message is one line, without secrets. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
