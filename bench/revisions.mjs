import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The commit of the working tree, with `-dirty` if a file has changed since. */
export function currentRevision(root = ROOT) {
  return git(root, 'describe', '--always', '--dirty', '--exclude', '*');
}

export function commitOf(revision, root = ROOT) {
  return git(root, 'rev-parse', '--short', '--verify', '--quiet', `${revision}^{commit}`);
}

/**
 * The revision that a change is compared with if nobody names one: the newest release that the commit contains, other
 * than that of its own version. Without a release it is the commit at which the branch left that of its origin, and
 * where nothing has changed since, the commit before it.
 */
export function lastLanded(root = ROOT) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tags = ['--match', 'v[0-9]*', '--exclude', `v${version}`];
  const release = git(root, 'describe', '--tags', '--abbrev=0', ...tags);
  if (release) return release;
  const head = git(root, 'rev-parse', 'HEAD');
  const base = git(root, 'merge-base', 'HEAD', 'origin/HEAD') || head;
  const isChanged =
    base !== head || git(root, 'status', '--porcelain', '--untracked-files=no') !== '';
  const revision = isChanged ? base : git(root, 'rev-parse', '--verify', '--quiet', 'HEAD~1');
  if (!revision) {
    throw new Error(
      'There is no revision to compare with in this repository: name one with --against.',
    );
  }
  return revision;
}

/** What git prints; nothing if it fails. */
function git(root, ...args) {
  try {
    return execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
