import { createHash } from 'node:crypto';

/**
 * A value of `TOKEN_ENCRYPTION_KEYS`; the same id always stands for the same key.
 * @param {string[]} ids
 */
export function keyList(...ids) {
  return ids.map((id) => `${id}:${createHash('sha256').update(id).digest('base64')}`).join(',');
}
