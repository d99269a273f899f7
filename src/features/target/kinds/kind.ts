import type { TargetGrant } from '../../../core/embed-token/target-tokens.ts';
import type { Check } from '../../../platform/common/fields.ts';
import { toPointer } from '../../../platform/common/json-pointer.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../platform/common/json/strict-json.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { referencesIn } from '../definition/claims.ts';
import { isOfGroup, isReference } from '../definition/references.ts';
import type { TargetAlgorithm, TargetDefinition } from '../definition/target-definition.ts';

/** Lets a rule pass a reference, while a definition is checked; of a token every value is there. */
export type Leaf = (check: Check) => Check;

/** The rules of one tool. */
export interface KindRules {
  /** The algorithms that it verifies with keys of the target; none if the key of the workspace signs. */
  algorithms: readonly TargetAlgorithm[];
  audience: 'required' | 'optional' | 'refused';
  /** The members of a definition that this kind alone has. */
  has: readonly ('row_filters' | 'email_domain' | 'unfiltered')[];
  /** Whether the tool wants to know when a token was issued. */
  hasIat: boolean;
  maxSeconds: number;
  typ?: string;
  /** The form of its secrets, if it takes no other. */
  secret?: { form: RegExp; demand: string };
  /** The rule of the claims of a definition, and of those of a token. */
  claims: (leaf: Leaf) => Check;
  /**
   * The part of a definition that keeps the rows of groups apart; undefined if the claims are always those of one group.
   * Without a value of the group in it a definition has to say `unfiltered`.
   */
  filter?: (definition: TargetDefinition) => { pointer: string; value: JsonValue };
  /**
   * Makes the claims of a token, without `aud`, `iat` and `exp`.
   * @param claims of the definition, with values in the place of references, and without violations
   * @throws TargetValueMissing, TargetValueRefused
   */
  make: (claims: JsonObject, definition: TargetDefinition, grant: TargetGrant) => JsonObject;
}

export const ofDefinition: Leaf = (check) => (value, pointer) => {
  if (!isReference(value as JsonValue)) return check(value, pointer);
  const { default: fallback } = value as JsonObject;
  return fallback === undefined ? [] : check(fallback, `${pointer}/default`);
};

export const ofToken: Leaf = (check) => check;

/** Finds a target that would show every group the same rows, and says nothing about it. */
export function unfilteredViolations(
  { filter }: KindRules,
  definition: TargetDefinition,
): Violation[] {
  if (!filter) return [];
  const { pointer, value } = filter(definition);
  const isFiltered = referencesIn(value).some(isOfGroup);
  if (isFiltered !== definition.unfiltered) return [];
  if (isFiltered) {
    const detail = 'The target has a filter, so that it is not unfiltered.';
    return [{ pointer: '/unfiltered', code: 'not_acceptable', detail }];
  }
  const detail =
    'No value of the user group filters what the tool shows: copy one, such as variables.region or team_id, or say unfiltered: true.';
  return [{ pointer, code: 'required', detail }];
}

const MAX_TEXT = 2048;
/** A character that no tool takes for white space: what is blank differs from language to language. */
const VISIBLE = /[^\s\p{Z}\p{C}]/u;
const CONTROL = /\p{C}/u;

/** Accepts a text that a tool cannot read as no value. */
export const filledText: Check = (value, pointer) => {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The value must be a text.' }];
  }
  if (!VISIBLE.test(value)) {
    return [{ pointer, code: 'empty', detail: 'The text must not be blank.' }];
  }
  if (value.length <= MAX_TEXT) return [];
  const detail = `The text must have at most ${MAX_TEXT} characters.`;
  return [{ pointer, code: 'too_long', detail }];
};

/** Accepts a text that is not blank, a number, true or false. */
export const scalar: Check = (value, pointer) => {
  if (typeof value === 'number' || typeof value === 'boolean') return [];
  if (typeof value === 'string') return filledText(value, pointer);
  const detail = 'The value must be a text, a number, true or false.';
  return [{ pointer, code: 'type', detail }];
};

/** Makes the rule of an object, not a reference to one, in which every name is followed by a value of one rule. */
export function recordOf(check: Check, refuses: (name: string) => string | undefined): Check {
  return (value, pointer) => {
    if (!isJsonObject(value as JsonValue) || isReference(value as JsonValue)) {
      return [{ pointer, code: 'type', detail: 'The value must be an object, and no reference.' }];
    }
    return Object.entries(value as JsonObject).flatMap(([name, one]): Violation[] => {
      const place = pointer + toPointer([name]);
      const detail = CONTROL.test(name) || name === '' ? UNREADABLE : refuses(name);
      if (detail !== undefined) return [{ pointer: place, code: 'not_acceptable', detail }];
      return check(one, place);
    });
  };
}

const UNREADABLE = 'The name must not be empty, and have no control characters.';

/** Makes the rule of claims of any names, but for those that the service writes, or that the tool reads otherwise. */
export function claimsBut(reserved: Readonly<Record<string, string>>, check: Check): Check {
  return recordOf(check, (name) => (Object.hasOwn(reserved, name) ? reserved[name] : undefined));
}

const WRITTEN = 'The service writes this claim.';

/** The claims of RFC 7519 about time and audience, and that of RFC 8693 about who acts, which no definition chooses. */
export const WRITTEN_CLAIMS = {
  aud: WRITTEN,
  exp: WRITTEN,
  iat: WRITTEN,
  nbf: WRITTEN,
  act: WRITTEN,
};

/** Accepts any value but one that is, or has inside, an empty list or object, which a tool could read as no filter. */
export const nothingEmpty: Check = (value, pointer) => {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value);
  if (members.length === 0) {
    return [{ pointer, code: 'empty', detail: 'The list or object must not be empty.' }];
  }
  return members.flatMap(([name, one]) => nothingEmpty(one, pointer + toPointer([name])));
};

/** Returns the claim of who acts for the group, if somebody does. */
export function actOf({ actingFor }: TargetGrant): JsonObject {
  return actingFor === undefined ? {} : { act: { sub: actingFor } };
}
