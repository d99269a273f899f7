import { isUtf8 } from 'node:buffer';
import { BodyNotUtf8, RequestMalformed, ValidationFailed } from '../../problem/errors.ts';
import type { Violation } from '../../problem/violation.ts';

const MAX_PARAMETERS = 100;

export type Parameters = [name: string, value: string][];

/**
 * Parses a query or a form body (application/x-www-form-urlencoded).
 * @param place the part of the request that they are, other than the body
 * @throws RequestMalformed if a part is not percent-encoded UTF-8; ValidationFailed if there are too many
 */
export function parseForm(text: string, place?: Violation['in']): Parameters {
  const parts = text.split('&').filter((part) => part !== '');
  if (parts.length > MAX_PARAMETERS) {
    const detail = `There must be at most ${MAX_PARAMETERS} parameters.`;
    throw new ValidationFailed([
      { ...(place && { in: place }), pointer: '', code: 'too_many', detail },
    ]);
  }
  return parts.map((part) => {
    const [name = '', ...value] = part.replaceAll('+', ' ').split('=');
    try {
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    } catch {
      throw new RequestMalformed('The parameters are not percent-encoded UTF-8.');
    }
  });
}

/** @throws BodyNotUtf8, and the errors of `parseForm` */
export function parseFormBody(bytes: Buffer): Parameters {
  if (!isUtf8(bytes)) throw new BodyNotUtf8();
  return parseForm(bytes.toString('utf8'));
}

/** Returns a name that occurs more than once, or undefined. */
export function findRepeated(parameters: Parameters): string | undefined {
  const seen = new Set<string>();
  for (const [name] of parameters) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
