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
  const file = new PrivateFile(path);
  file.write(text);
  file.keep({ replace: true });
}

/** Writes only if no file exists; returns whether it wrote. */
export function createPrivateFile(path: string, text: string): boolean {
  const file = new PrivateFile(path);
  file.write(text);
  return file.keep({ replace: false });
}

/**
 * A secret that is written piece by piece, readable by its owner alone. It appears at its path whole and on disk, or
 * not at all.
 */
export class PrivateFile {
  private readonly temporary: string;
  private readonly file: number;

  constructor(private readonly path: string) {
    this.temporary = `${path}.${randomUUID()}.tmp`;
    this.file = openSync(this.temporary, 'wx', 0o600);
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(this.file, bytes, at);
  }

  /** Moves the file to its path; false if a file exists that it must not replace. */
  keep({ replace }: { replace: boolean }): boolean {
    fsyncSync(this.file);
    closeSync(this.file);
    if (replace) renameSync(this.temporary, this.path);
    else if (!addName(this.temporary, this.path)) return false;
    syncDirectory(this.path);
    return true;
  }

  discard(): void {
    closeSync(this.file);
    unlinkSync(this.temporary);
  }
}

/** Moves the file to a free path; otherwise removes it and returns false. */
function addName(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

/** A new name in a directory survives a power loss only when the directory is flushed too. */
function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
