import type { TargetGrant } from '../../../core/embed-token/target-tokens.ts';
import { TargetValueMissing, TargetValueRefused } from '../target.errors.ts';
import { toPointer } from '../../../platform/common/json-pointer.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../platform/common/json/strict-json.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { isReference, isReferenceName, SECRET, valueOf } from './references.ts';

/** Limits of the claims of a definition, and of a token: headers of requests have to hold it. */
const MAX_BYTES = 8192;
const MAX_DEPTH = 8;

type Path = readonly (string | number)[];

/** Accepts JSON in which every object with the member `$` is a reference. */
export function claimsViolations(value: unknown, pointer: string): Violation[] {
  const claims = value as JsonValue;
  if (!isJsonObject(claims) || isReference(claims)) {
    return [{ pointer, code: 'type', detail: 'The claims must be an object, and no reference.' }];
  }
  if (Buffer.byteLength(JSON.stringify(claims)) > MAX_BYTES) {
    const detail = `The claims must not be longer than ${MAX_BYTES} bytes of JSON.`;
    return [{ pointer, code: 'too_large', detail }];
  }
  return templateViolations(claims, pointer, 1);
}

/** Accepts a value that is a literal, or has references. */
export function templateViolations(value: JsonValue, pointer: string, depth = 1): Violation[] {
  if (depth > MAX_DEPTH) {
    const detail = `The claims must not be nested deeper than ${MAX_DEPTH} levels.`;
    return [{ pointer, code: 'too_deep', detail }];
  }
  if (isReference(value)) return referenceViolations(value, pointer);
  return childrenOf(value).flatMap(([key, child]) =>
    templateViolations(child, pointer + toPointer([key]), depth + 1),
  );
}

function referenceViolations(value: JsonObject, pointer: string): Violation[] {
  const unknown = Object.keys(value).find((key) => key !== '$' && key !== 'default');
  if (unknown !== undefined) {
    const detail =
      'An object with the member $ is a reference, which can have a default and nothing else.';
    return [{ pointer: pointer + toPointer([unknown]), code: 'unknown', detail }];
  }
  const { $: name, default: fallback } = value;
  if (typeof name !== 'string' || !isReferenceName(name)) {
    const detail =
      'The reference must be sub, team_id, name, user.id, user.key, user.name, user.email, resources, resource.<type>, acting_for, variables.<name> or mapping.<schema>.';
    return [{ pointer: `${pointer}/$`, code: 'not_acceptable', detail }];
  }
  if (fallback === undefined) return [];
  if (fallback !== null && !hasReference(fallback)) {
    return templateViolations(fallback, `${pointer}/default`, 2);
  }
  const detail = 'The default must be a value, neither null nor a reference.';
  return [{ pointer: `${pointer}/default`, code: 'not_acceptable', detail }];
}

/** Lists the names of the references in a value. */
export function referencesIn(value: JsonValue): string[] {
  if (isReference(value)) return [value['$'] as string];
  return childrenOf(value).flatMap(([, child]) => referencesIn(child));
}

function hasReference(value: JsonValue): boolean {
  return isReference(value) || childrenOf(value).some(([, child]) => hasReference(child));
}

/**
 * Makes a value with a copy in the place of each reference. A copied value keeps its type, and nothing in it is read as a
 * reference, so no value can become anything but a value.
 * @throws TargetValueMissing for a value that is not there, unless the reference has a default; TargetValueRefused for a
 *   secret one
 */
export function filledIn(
  template: JsonValue,
  grant: TargetGrant,
  path: Path,
  room = { bytes: MAX_BYTES },
): JsonValue {
  if (isReference(template)) {
    const value = copied(template, grant, path);
    // Before the next one: hundreds of references can name the same long value.
    room.bytes -= Buffer.byteLength(JSON.stringify(value));
    if (room.bytes < 0) throw tooLarge();
    return value;
  }
  if (Array.isArray(template)) {
    return template.map((child, index) => filledIn(child, grant, [...path, index], room));
  }
  if (!isJsonObject(template)) return template;
  // Defines members, so that one of the name `__proto__` is a member.
  return Object.fromEntries(
    Object.entries(template).map(([key, child]) => [
      key,
      filledIn(child, grant, [...path, key], room),
    ]),
  );
}

function copied(reference: JsonObject, grant: TargetGrant, path: Path): JsonValue {
  const name = reference['$'] as string;
  const value = valueOf(name, grant) ?? reference['default'];
  if (value === SECRET) {
    const detail = `${name} is secret, and everybody who has the token can read it.`;
    throw refused([{ pointer: toPointer(path), code: 'not_acceptable', detail }]);
  }
  if (value !== undefined) return value;
  const detail = `There is no ${name} for this token.`;
  const violations: Violation[] = [{ pointer: toPointer(path), code: 'required', detail }];
  throw new TargetValueMissing(`The target needs a value for ${toPointer(path)}: ${detail}`, {
    violations,
  });
}

/** Refuses a token that would have these flaws. @param violations with places in the definition of the target */
export function refused(violations: readonly Violation[]): TargetValueRefused {
  const [{ pointer, detail }] = violations as [Violation, ...Violation[]];
  return new TargetValueRefused(`No token is issued: at ${pointer} of the target: ${detail}`, {
    violations,
  });
}

/** @throws TargetValueRefused for a token that no header could hold, or that is nested too deeply */
export function requireModest(claims: JsonObject): void {
  const isLong = Buffer.byteLength(JSON.stringify(claims)) > MAX_BYTES;
  if (isLong || depthOf(claims) > MAX_DEPTH * 2) throw tooLarge();
}

function tooLarge(): TargetValueRefused {
  const detail = `The claims would have more than ${MAX_BYTES} bytes of JSON, or ${MAX_DEPTH * 2} levels.`;
  return refused([{ pointer: '/claims', code: 'too_large', detail }]);
}

function depthOf(value: JsonValue): number {
  return 1 + Math.max(0, ...childrenOf(value).map(([, child]) => depthOf(child)));
}

function childrenOf(value: JsonValue): [string | number, JsonValue][] {
  if (Array.isArray(value)) return value.map((child, index) => [index, child]);
  return isJsonObject(value) ? Object.entries(value) : [];
}
