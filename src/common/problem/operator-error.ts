/** A request or a configuration of the operator that cannot be fulfilled; the message is one line, without secrets. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}
