import { Rule, textThat } from '../../../../platform/common/fields.ts';

/** Longer than any token; longer texts need not be hashed. */
const MAX_CHARACTERS = 1024;

const tokenViolations = textThat(
  ({ length }) => length > 0 && length <= MAX_CHARACTERS,
  `The API token must have 1 to ${MAX_CHARACTERS} characters.`,
);

export class SignInDto {
  @Rule(tokenViolations, { required: 'The field api_token is required.' })
  api_token!: string;
}
