import { Obeys } from '../../common/json/obeys.decorator.ts';
import { identifierViolations } from '../../common/text.ts';
import type { Violation } from '../../common/violation.ts';

/** The query that begins to sign in. */
export class BeginSignInDto {
  /** The name of the workspace to enter; the first that is granted by default. */
  @Obeys(identifierViolations)
  workspace?: string;

  /** Where in the page to go on: what stands behind its `#`. */
  @Obeys(placeViolations)
  place?: string;
}

/** Whether it can stand behind the `#` of a URL as it is, and a cookie has room for it. */
export function isPlace(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{0,1000}$/.test(value);
}

function placeViolations(value: unknown, pointer: string): Violation[] {
  if (isPlace(value)) return [];
  const detail = 'The place must be at most 1,000 visible ASCII characters.';
  return [{ pointer, code: 'not_acceptable', detail }];
}
