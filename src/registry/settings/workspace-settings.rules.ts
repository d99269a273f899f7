import { ValidationFailed } from '../../common/problem/errors.ts';
import type { Violation } from '../../common/problem/violation.ts';
import { toPointer } from '../../common/json/json-pointer.ts';
import { identifierViolations, isIssuer, textViolations } from '../../common/text.ts';
import { type PropertyType, propertyTypes, schemaNamed, type SchemaIds } from '../../mapping/user-group-rules.ts';

export const MAX_REQUIRED_PROPERTIES = 100;
export const MAX_REQUIRED_SCHEMAS = 200;
export const MAX_AUDIENCES = 100;

/** Accepts a list of `{name, type}`, no name twice. */
export function requiredPropertiesViolations(value: unknown, pointer: string): Violation[] {
  return listViolations(value, pointer, MAX_REQUIRED_PROPERTIES, (item, place) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return [{ pointer: place, code: 'type', detail: 'The entry must be an object.' }];
    }
    return propertyViolations(item as Record<string, unknown>, place);
  });
}

/** Accepts a list of schema ids, none twice. */
export function requiredSchemasViolations(value: unknown, pointer: string): Violation[] {
  return listViolations(value, pointer, MAX_REQUIRED_SCHEMAS, textViolations);
}

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

/** Accepts a list of valid audiences, none twice. */
export function audiencesViolations(value: unknown, pointer: string): Violation[] {
  return listViolations(value, pointer, MAX_AUDIENCES, identifierViolations);
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

function listViolations(
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

function propertyViolations(item: Record<string, unknown>, place: string): Violation[] {
  const unknown = Object.keys(item)
    .filter((key) => key !== 'name' && key !== 'type')
    .map((key): Violation => {
      const pointer = place + toPointer([key]);
      return { pointer, code: 'unknown', detail: 'The entry can have name, type.' };
    });
  return [
    ...unknown,
    ...(Object.hasOwn(item, 'name') ? textViolations(item['name'], `${place}/name`) : [missing(`${place}/name`)]),
    ...(Object.hasOwn(item, 'type') ? typeViolations(item['type'], `${place}/type`) : [missing(`${place}/type`)]),
  ];
}

function missing(pointer: string): Violation {
  return { pointer, code: 'required', detail: 'The entry must have name and type.' };
}

function typeViolations(value: unknown, pointer: string): Violation[] {
  if (propertyTypes.includes(value as PropertyType)) return [];
  const detail = `The type is one of ${propertyTypes.join(', ')}.`;
  return [{ pointer, code: typeof value === 'string' ? 'not_acceptable' : 'type', detail }];
}

function nameOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? (item as { name?: unknown }).name : item;
}

function repetition(first: number, index: number, pointer: string): Violation[] {
  return first < index ? [{ pointer, code: 'repeated', detail: 'It is listed twice.' }] : [];
}
