import { ServiceError } from '../../common/errors';
import type { Violation } from '../../common/violation';
import { type JsonValue, parseStrictJson } from '../../common/json/strict-json';

/** The value of a property as it is asked for in a query. */
export interface Scalar {
  /** JSON, spelt as it is in a stored text. */
  json: string;
  /** What makes it a value that no property can have. */
  violations: Violation[];
}

/** Reads a JSON scalar; any other text is the string itself. */
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
