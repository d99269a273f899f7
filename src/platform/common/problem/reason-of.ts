import { inspect } from 'node:util';
import { redactTokens } from '../secret/secrets.ts';

/** Returns one line for any thrown value, which need not be an error. */
export function reasonOf(thrown: unknown): string {
  // A refused connection to a name with several addresses has a code but no message.
  const said =
    thrown instanceof Error
      ? thrown.message || (thrown as NodeJS.ErrnoException).code || thrown.name
      : thrown;
  const text = typeof said === 'string' ? said : inspect(said, { depth: -1 });
  return redactTokens(text.replace(/\s+/g, ' ').replace(/\.$/, ''));
}
