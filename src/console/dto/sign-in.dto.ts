import { Obeys } from '../../common/json/obeys.decorator.ts';
import type { Violation } from '../../common/violation.ts';

/** Longer than any token; a text beyond it need not be hashed. */
const MOST_CHARACTERS = 1024;

/** The body that signs in. */
export class SignInDto {
  @Obeys(tokenViolations, { required: 'The field api_token is required.' })
  api_token!: string;
}

function tokenViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The API token must be a string.' }];
  }
  if (value === '') {
    return [{ pointer, code: 'empty', detail: 'The API token must not be empty.' }];
  }
  if (value.length > MOST_CHARACTERS) {
    return [{ pointer, code: 'too_long', detail: 'The text is longer than any API token.' }];
  }
  return [];
}
