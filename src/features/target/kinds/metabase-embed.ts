import { type Check, listOf, objectOf } from '../../../platform/common/fields.ts';
import type { JsonObject, JsonValue } from '../../../platform/common/json/strict-json.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { filledText, type KindRules, recordOf, scalar } from './kind.ts';

const MAX_VALUES = 100;
const NUMBER = /^[1-9]\d{0,14}$/;
/** Ids that Metabase keeps when it is moved. */
const ENTITY_ID = /^[\w-]{21}$/;

/** Accepts a number, as a number or in a text, or an entity id. */
const idViolations: Check = (value, pointer) => {
  const text = typeof value === 'number' ? `${value}` : value;
  const isId = typeof text === 'string' && (NUMBER.test(text) || ENTITY_ID.test(text));
  if (isId) return [];
  const detail = 'The id must be a whole number, or an entity id of 21 characters.';
  return [{ pointer, code: 'not_acceptable', detail }];
};

const parameter: Check = (value, pointer) =>
  Array.isArray(value)
    ? listOf(scalar, { least: 1, most: MAX_VALUES, canRepeat: true })(value, pointer)
    : scalar(value, pointer);

/**
 * A token for static embedding in Metabase (documentation, "Static embedding"). An empty list switches a locked parameter
 * off, and so is refused, as is a blank text.
 */
export const metabaseEmbed: KindRules = {
  algorithms: ['HS256'],
  audience: 'refused',
  has: ['unfiltered'],
  hasIat: false,
  maxSeconds: 3600,
  secret: {
    form: /^[\da-f]{64}$/i,
    demand: 'Metabase takes a secret of 64 hexadecimal digits.',
  },
  claims: (leaf) =>
    objectOf(
      {
        resource: oneMember(
          objectOf({ dashboard: leaf(idViolations), question: leaf(idViolations) }, [
            'dashboard',
            'question',
          ]),
        ),
        params: recordOf(leaf(parameter), (name) =>
          filledText(name, '').length > 0 ? 'The name of a parameter is a text.' : undefined,
        ),
      },
      ['params'],
    ),
  filter: ({ claims }) => ({ pointer: '/claims/params', value: claims['params'] ?? {} }),
  make: ({ resource, params = {} }) => {
    const [[kind, id]] = Object.entries(resource as JsonObject) as [[string, JsonValue]];
    const isNumber = typeof id === 'string' && NUMBER.test(id);
    return { resource: { [kind]: isNumber ? Number(id) : id }, params };
  },
};

function oneMember(check: Check): Check {
  return (value, pointer): Violation[] => {
    const violations = check(value, pointer);
    if (violations.length > 0 || Object.keys(value as object).length === 1) return violations;
    const detail = 'The resource must have one of dashboard and question.';
    return [{ pointer, code: 'required', detail }];
  };
}
