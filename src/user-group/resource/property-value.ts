import { ServiceError } from '../../common/errors.ts';
import type { Violation } from '../../common/violation.ts';
import { type JsonValue, parseStrictJson } from '../../common/json/strict-json.ts';

/** The property value that a query filters by. */
export interface Scalar {
  /** JSON, spelt as it is in a stored text. */
  json: string;
  /** Why no property can have this value; empty if one can. */
  violations: Violation[];
}

/** Parses a JSON scalar; takes any other text as a string. */
export function toScalar(text: string): Scalar {
  try {
    const { value, violations, lossyNumbers } = parseStrictJson(Buffer.from(text));
    if (isScalar(value)) {
      return { json: JSON.stringify(value), violations: [...violations, ...lossyNumbers] };
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  return { json: JSON.stringify(text), violations: [] };
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}
