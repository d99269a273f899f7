import { Rule } from '../../../common/fields.ts';
import type { Violation } from '../../../common/problem/violation.ts';

/** Longer than any token; longer texts need not be hashed. */
const MAX_CHARACTERS = 1024;

export class SignInDto {
  @Rule(tokenViolations, { required: 'The field api_token is required.' })
  api_token!: string;
}

function tokenViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The API token must be a string.' }];
  }
  if (value === '') {
    return [{ pointer, code: 'empty', detail: 'The API token must not be empty.' }];
  }
  if (value.length > MAX_CHARACTERS) {
    return [{ pointer, code: 'too_long', detail: 'The text is longer than any API token.' }];
  }
  return [];
}
