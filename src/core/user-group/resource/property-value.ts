import { ServiceError } from '../../../platform/common/problem/problem.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { type JsonValue, parseStrictJson } from '../../../platform/common/json/strict-json.ts';

export interface Scalar {
  /** JSON, spelt as in a stored text. */
  json: string;
  /** Reasons why no property can have this value; empty if one can. */
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
