import { ValidationFailed } from '../../common/problem/errors.ts';
import type { Violation } from '../../common/problem/violation.ts';
import { isIssuer } from '../../common/text.ts';
import { schemaNamed, type SchemaIds } from '../../mapping/user-group-rules.ts';

/** Accepts null, or a valid `EMBED_TOKEN_ISSUER`. */
export function issuerViolations(value: unknown, pointer: string): Violation[] {
  if (value === null) return [];
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The embed_token_issuer must be a string or null.' }];
  }
  if (isIssuer(value)) return [];
  const detail =
    'The embed_token_issuer must be a URL, or a text without a colon: 1 to 255 visible ASCII characters without spaces.';
  return [{ pointer, code: 'not_acceptable', detail }];
}

/**
 * Resolves the required schemas to their callers' ids under the policy `registered`, so that no later registration can
 * take their place.
 * @throws ValidationFailed if one is not registered, or is named twice
 */
export function resolveRequiredSchemas(required: readonly string[], schemas: readonly SchemaIds[]): string[] {
  const requiredSchemas = required.map((text) => schemaNamed(text, schemas)?.providedId ?? '');
  const violations = requiredSchemas.flatMap((providedId, index): Violation[] => {
    const pointer = `/required_schemas/${index}`;
    if (providedId === '') {
      const detail = 'No schema of the workspace has this id.';
      return [{ pointer, code: 'unknown_schema', detail }];
    }
    return repetition(requiredSchemas.indexOf(providedId), index, pointer);
  });
  if (violations.length > 0) throw new ValidationFailed(violations);
  return requiredSchemas;
}

/** Validates a list without repetitions, of values or of objects with a `name`. */
export function listViolations(
  value: unknown,
  pointer: string,
  limit: number,
  rule: (item: unknown, place: string) => Violation[],
): Violation[] {
  if (!Array.isArray(value)) return [{ pointer, code: 'type', detail: 'The value must be a list.' }];
  if (value.length > limit) {
    return [{ pointer, code: 'too_many', detail: `The list must have at most ${limit} entries.` }];
  }
  const names = value.map(nameOf);
  return value.flatMap((item: unknown, index): Violation[] => {
    const place = `${pointer}/${index}`;
    const violations = rule(item, place);
    return violations.length > 0 ? violations : repetition(names.indexOf(names[index]), index, place);
  });
}

function nameOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? (item as { name?: unknown }).name : item;
}

function repetition(first: number, index: number, pointer: string): Violation[] {
  return first < index ? [{ pointer, code: 'repeated', detail: 'It is listed twice.' }] : [];
}
