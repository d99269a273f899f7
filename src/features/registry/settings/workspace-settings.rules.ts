import { orNull, textThat } from '../../../platform/common/fields.ts';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { isIssuer } from '../../../platform/common/text.ts';
import { schemaNamed, type SchemaIds } from '../../../core/mapping/user-group-rules.ts';

/** Accepts null, or an issuer of RFC 7519. */
export const issuerViolations = orNull(
  textThat(
    isIssuer,
    'The embed_token_issuer must be null, a URL, or a text without a colon: 1 to 255 visible ASCII characters without spaces.',
  ),
);

/**
 * Resolves the required schemas to their callers' ids under the policy `registered`, so that no later registration can
 * take their place.
 * @throws ValidationFailed if one is not registered, or is named twice
 */
export function resolveRequiredSchemas(
  required: readonly string[],
  schemas: readonly SchemaIds[],
): string[] {
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

function repetition(first: number, index: number, pointer: string): Violation[] {
  return first < index ? [{ pointer, code: 'repeated', detail: 'It is listed twice.' }] : [];
}
