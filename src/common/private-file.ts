import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  linkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Writes a secret to `path`, readable by its owner alone, whole and on disk when this returns. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = writeTemporary(path, text);
  renameSync(temporary, path);
  syncDirectory(path);
}

/** As `writePrivateFile`, but leaves a file that is there already; tells whether it wrote. */
export function createPrivateFile(path: string, text: string): boolean {
  const temporary = writeTemporary(path, text);
  try {
    linkSync(temporary, path);
    syncDirectory(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

function writeTemporary(path: string, text: string): string {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return temporary;
}

/** A new name in a directory survives a power loss only once the directory is flushed too. */
function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
