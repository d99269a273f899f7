import { execFileSync } from 'node:child_process';

/**
 * Runs a program in a directory to its end, with more environment variables.
 * @returns its standard output
 * @throws an error with all of its output, if it fails
 */
export function runIn(
  directory: string,
  env: Record<string, string>,
  file: string,
  ...args: string[]
): string {
  try {
    return execFileSync(file, args, {
      cwd: directory,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(stdout + stderr, { cause: error });
  }
}
