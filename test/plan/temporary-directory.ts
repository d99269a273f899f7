import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true });
});

/** Makes a directory that is there until the tests of the file have ended. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-plan-'));
  made.push(directory);
  return directory;
}
