/** The outcome of a check. */
export interface Result {
  id: string;
  title: string;
  /** `warned`: it has passed, with something to look at. `unjudged`: a valid token showed nothing, so that the check says nothing about its guarantee. */
  outcome: 'passed' | 'warned' | 'failed' | 'unjudged' | 'skipped' | 'error';
  seconds: number;
  /** Why it was skipped, or what was seen. */
  reason?: string;
  means?: string;
  /** Commands that repeat it: the last ones. */
  steps?: string[];
}

/** The parties of a run, without secrets. */
export interface Subject {
  /** The address of the renderer, or its command. */
  renderer: string;
  service: string;
  startedAt: Date;
}

/** The results of a run. */
export interface Outcome {
  subject: Subject;
  results: Result[];
  seconds: number;
  /** The longest that the renderer has taken for a response. */
  slowestSeconds: number;
}

export type Counts = Record<Result['outcome'], number>;

export function countsOf(results: Result[]): Counts {
  const counts = { passed: 0, warned: 0, failed: 0, unjudged: 0, skipped: 0, error: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}
