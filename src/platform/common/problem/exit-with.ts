import { ServiceError } from './problem.ts';
import { OperatorError } from './operator-error.ts';
import { redactTokens } from '../secret/secrets.ts';
import { withoutControls } from '../text.ts';

/** Ends the process, printing a line for the error and for each violation that it has, a stack for a defect. */
export function exitWith(error: unknown, code = 1): never {
  if (error instanceof OperatorError || error instanceof ServiceError) {
    const violations = error instanceof ServiceError ? (error.violations ?? []) : [];
    const lines = violations.map(({ pointer, detail }) =>
      pointer === '' ? detail : `${pointer}: ${detail}`,
    );
    // The message of a validation is the detail of its first violation.
    if (violations[0]?.detail !== error.message) {
      lines.unshift(error.message.replace(/\s*\n\s*/g, ' '));
    }
    console.error(
      `user-group-service: ${lines.map((line) => withoutControls(redactTokens(line))).join('\n  ')}`,
    );
  } else {
    // An error of a driver carries the parameters of its statement, so only the stack is printed.
    console.error(redactTokens(error instanceof Error ? (error.stack ?? '') : String(error)));
  }
  process.exit(code);
}
