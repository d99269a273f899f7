import { randomFillSync } from 'node:crypto';

const PORTION = 4096;

const portion = Buffer.alloc(PORTION);
let used = PORTION;

/**
 * Returns bytes of Node's secure generator, each only once. Draws them in larger portions: a draw
 * costs some microseconds, however few bytes it is for.
 * @param length at most 4096
 */
export function randomBytes(length: number): Buffer {
  if (length > PORTION) throw new RangeError(`more than ${PORTION} bytes at once`);
  if (used + length > PORTION) {
    randomFillSync(portion);
    used = 0;
  }
  const bytes = Buffer.from(portion.subarray(used, used + length));
  // Nothing that has become part of a secret stays here.
  portion.fill(0, used, used + length);
  used += length;
  return bytes;
}

/** Draws one of the 2^53 numbers that are exact in JSON. */
export function randomNumber(): number {
  const bytes = randomBytes(8);
  return (bytes.readUInt32LE(0) >>> 11) * 2 ** 32 + bytes.readUInt32LE(4);
}
