/** A request or a configuration of the operator that cannot be fulfilled; the message is one line, without secrets. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** The operator has named something that is not there. */
export class OperatorNotFound extends OperatorError {}

/** A rule forbids what the operator has asked for. */
export class OperatorRefusal extends OperatorError {}

/** The database cannot be reached, or not be used. */
export class DatabaseUnusable extends OperatorError {}
