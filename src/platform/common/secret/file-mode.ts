import { type Stats, statSync } from 'node:fs';

/**
 * Returns the access of every user of the machine to a file or a directory, following links: "nothing" also if it is
 * missing or neither of the two, and on Windows, which has no such modes.
 */
export function worldAccess(path: string): 'nothing' | 'read' | 'write' {
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

/** A pipe, such as a shell's `<(…)`, has no other reader. */
function hasMode(stats: Stats): boolean {
  return stats.isFile() || stats.isDirectory();
}
