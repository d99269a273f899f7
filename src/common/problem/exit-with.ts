import { ServiceError } from './errors.ts';
import { OperatorError } from './operator-error.ts';
import { redactTokens } from '../secret/secrets.ts';
import { withoutControls } from '../text.ts';

/** Ends the process, printing one line for an error of the operator and one for each violation, a stack for a defect. */
export function exitWith(error: unknown, code = 1): never {
  if (error instanceof OperatorError || error instanceof ServiceError) {
    const message = redactTokens(error.message.replace(/\s*\n\s*/g, ' '));
    console.error(`user-group-service: ${message}`);
    const violations = error instanceof ServiceError ? (error.violations ?? []) : [];
    for (const { pointer, detail } of violations) {
      console.error(withoutControls(redactTokens(`  ${pointer === '' ? '' : `${pointer}: `}${detail}`)));
    }
  } else {
    // An error of a driver carries the parameters of its statement, so only the stack is printed.
    console.error(redactTokens(error instanceof Error ? (error.stack ?? '') : String(error)));
  }
  process.exit(code);
}
