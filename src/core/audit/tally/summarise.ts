import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';

const MAX_BYTES = 4096;

/**
 * Returns the value, or its size and SHA-256 if it exceeds 4 KiB of JSON: an event is kept for a long time, and must
 * not outgrow its subject.
 */
export function summarise(value: JsonObject): JsonObject {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_BYTES) return value;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { summary: { entries: Object.keys(value).length, bytes, sha256 } };
}
