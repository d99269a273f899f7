import { inspect } from 'node:util';
import { redactTokens } from './secrets.ts';

/** One line for whatever was thrown, which need be no error. */
export function reasonOf(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : thrown;
  const text = typeof said === 'string' ? said : inspect(said, { depth: -1 });
  return redactTokens(text.replace(/\s+/g, ' ').replace(/\.$/, ''));
}
