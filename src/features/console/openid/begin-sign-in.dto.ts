import { Rule, textThat } from '../../../platform/common/fields.ts';
import { identifierViolations } from '../../../platform/common/text.ts';

export class BeginSignInDto {
  /** The name of the workspace to enter; the first granted one by default. */
  @Rule(identifierViolations)
  workspace?: string;

  /** The place in the page to return to: the part after its `#`. */
  @Rule(textThat(isPlace, 'The place must be at most 1,000 visible ASCII characters.'))
  place?: string;
}

/** Tells whether it is a valid fragment of a URL, short enough for a cookie. */
export function isPlace(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{0,1000}$/.test(value);
}
