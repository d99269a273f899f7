import { ServiceError } from './errors.ts';
import { OperatorError } from './operator-error.ts';
import { redactTokens } from '../secret/secrets.ts';

/** Ends the process, printing one line for an OperatorError, a stack for a defect. */
export function exitWith(error: unknown, code = 1): never {
  if (error instanceof OperatorError || error instanceof ServiceError) {
    const message = redactTokens(error.message.replace(/\s*\n\s*/g, ' '));
    console.error(`user-group-service: ${message}`);
  } else {
    // An error of a driver carries the parameters of its statement, so only the stack is printed.
    console.error(redactTokens(error instanceof Error ? (error.stack ?? '') : String(error)));
  }
  process.exit(code);
}
