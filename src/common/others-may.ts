import { type Stats, statSync } from 'node:fs';

/**
 * What every user of the machine may do with a file or a directory, wherever links lead: nothing is
 * also said of what cannot be found, is neither of the two, or is on Windows, which has no such modes.
 */
export function othersMay(path: string): 'nothing' | 'read' | 'write' {
  const stats = lookAt(path);
  if (!stats || !hasMode(stats) || process.platform === 'win32') return 'nothing';
  if (stats.mode & 0o002) return 'write';
  return stats.mode & 0o004 ? 'read' : 'nothing';
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** A pipe, as a shell's `<(…)` is one, has nobody else at its end. */
function hasMode(stats: Stats): boolean {
  return stats.isFile() || stats.isDirectory();
}
