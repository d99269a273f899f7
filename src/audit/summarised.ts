import { createHash } from 'node:crypto';
import type { JsonObject } from '../common/json/strict-json';

const MAX_BYTES = 4096;

/**
 * The value, or its size and SHA-256 if it is larger than 4 KiB of JSON: what is recorded cannot be
 * removed for a long time, and must not grow faster than what it is about.
 */
export function summarised(value: JsonObject): JsonObject {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_BYTES) return value;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { summary: { entries: Object.keys(value).length, bytes, sha256 } };
}
