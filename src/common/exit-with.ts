import { ServiceError } from './errors.ts';
import { OperatorError } from './operator-error.ts';
import { redactTokens } from './secrets.ts';

/** Ends the process with code 1, printing one line for what the operator can fix, a stack for a defect. */
export function exitWith(error: unknown): never {
  if (error instanceof OperatorError || error instanceof ServiceError) {
    const message = redactTokens(error.message.replace(/\s*\n\s*/g, ' '));
    console.error(`user-group-service: ${message}`);
  } else {
    // Not the error itself: a driver's carries the parameters of its statement.
    console.error(redactTokens(error instanceof Error ? (error.stack ?? '') : String(error)));
  }
  process.exit(1);
}
