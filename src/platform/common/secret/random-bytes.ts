import { randomFillSync } from 'node:crypto';

const PORTION = 4096;

const portion = Buffer.alloc(PORTION);
let used = PORTION;

/**
 * Returns bytes of Node's secure generator, each only once. Draws them in larger portions: each draw costs some
 * microseconds.
 * @param length at most 4096
 */
export function randomBytes(length: number): Buffer {
  if (length > PORTION) throw new RangeError(`more than ${PORTION} bytes at once`);
  if (used + length > PORTION) {
    randomFillSync(portion);
    used = 0;
  }
  const bytes = Buffer.from(portion.subarray(used, used + length));
  // Bytes that have become part of a secret do not stay here.
  portion.fill(0, used, used + length);
  used += length;
  return bytes;
}

/** Draws one of the 2^53 numbers that are exact in JSON. */
export function randomNumber(): number {
  const bytes = randomBytes(8);
  return (bytes.readUInt32LE(0) >>> 11) * 2 ** 32 + bytes.readUInt32LE(4);
}
