import { OperatorError } from './operator-error';

/** Ends the process with code 1: one line for what the operator can mend, a stack for a defect. */
export function exitWith(error: unknown): never {
  if (error instanceof OperatorError) {
    console.error(`user-group-service: ${error.message.replace(/\s*\n\s*/g, ' ')}`);
  } else {
    console.error(error);
  }
  process.exit(1);
}
