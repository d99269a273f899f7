import { type Stats, statSync } from 'node:fs';

/**
 * Returns what every user of the machine may do with a file or a directory, following links:
 * "nothing" also for what is missing or neither of the two, and on Windows, which has no such
 * modes.
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

/** Whether it is a file or a directory; a pipe, such as a shell's `<(…)`, has nobody else at its end. */
function hasMode(stats: Stats): boolean {
  return stats.isFile() || stats.isDirectory();
}
