import { createReadStream } from 'node:fs';
import process from 'node:process';
import { OperatorError } from '../common/problem/operator-error.ts';

/** The path that names standard input. */
export const STANDARD_INPUT = '-';

const MIB = 1024 * 1024;

/**
 * Reads a file, or standard input (`-`), as a whole.
 * @param limit the most MiB: a device or a pipe may never end
 * @throws OperatorError if it cannot be read, or is larger
 */
export async function readInput(path: string, limit: number): Promise<Buffer> {
  const isStandard = path === STANDARD_INPUT;
  const name = isStandard ? 'Standard input' : `The file ${path}`;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const source: AsyncIterable<Buffer> = isStandard ? process.stdin : createReadStream(path);
    for await (const chunk of source) {
      size += chunk.length;
      if (size > limit * MIB) throw new OperatorError(`${name} is larger than ${limit} MiB.`);
      chunks.push(chunk);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw error instanceof OperatorError
      ? error
      : new OperatorError(`${name} cannot be used: ${code}.`);
  }
  return Buffer.concat(chunks);
}
