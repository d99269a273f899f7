import { textThat } from '../../platform/common/fields.ts';

const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The form of the names of sets, for the OpenAPI document. */
export const SET_NAME = pattern.source;

/** The rule of the name of a set of groups as code. */
export const setNameViolations = textThat(
  (text) => pattern.test(text),
  'The name of a set has 1 to 63 letters, digits, dots, underscores and hyphens, and begins with a letter or a digit.',
);
