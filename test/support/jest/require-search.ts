/** The parts of a run of Jest that say which tests it has. */
export interface Run {
  testPathPatterns: { isSet(): boolean };
  testNamePattern?: string;
  onlyChanged: boolean;
  findRelatedTests: boolean;
  shard?: object;
}

/** The parts of a run that are searched for tokens. */
interface Searched {
  tokens: number;
  logBytes: number;
  dumpBytes: number;
}

/**
 * Requires of a run of all tests that it has issued tokens, and left logs and databases to search. Chosen files may make
 * none of them.
 * @throws Error if nothing was searched
 */
export function requireSearch(run: Run, { tokens, logBytes, dumpBytes }: Searched): void {
  const isChosen =
    run.testPathPatterns.isSet() || run.testNamePattern || run.onlyChanged || run.findRelatedTests;
  if (isChosen || run.shard || (tokens > 0 && logBytes > 0 && dumpBytes > 0)) return;
  throw new Error('nothing was searched');
}
