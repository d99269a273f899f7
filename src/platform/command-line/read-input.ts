import { createReadStream } from 'node:fs';
import process from 'node:process';
import { OperatorError } from '../common/problem/operator-error.ts';

/** The path that names standard input. */
export const STANDARD_INPUT = '-';

const MIB = 1024 * 1024;

/**
 * Reads a file, or standard input (`-`), as a whole.
 * @param limit the most MiB: a device or a pipe may never end. A token or a definition has a few KiB
 * @throws OperatorError if it cannot be read, or is larger
 */
export function readInput(path: string, limit = 1): Promise<Buffer> {
  return usable(path, async () => {
    const source: AsyncIterable<Buffer> =
      path === STANDARD_INPUT ? process.stdin : createReadStream(path);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > limit * MIB) {
        throw new OperatorError(`${nameOf(path)} is larger than ${limit} MiB.`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  });
}

/** Uses a file, or standard input (`-`). @throws OperatorError with the reason, if it cannot be used */
export async function usable<T>(path: string, use: () => T | Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Returns an error of the file system in words for an operator; an error that has them as it is. */
export function unusable(path: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const { code } = error as NodeJS.ErrnoException;
  return new OperatorError(`${nameOf(path)} cannot be used: ${code}.`);
}

function nameOf(path: string): string {
  return path === STANDARD_INPUT ? 'Standard input' : `The file ${path}`;
}
