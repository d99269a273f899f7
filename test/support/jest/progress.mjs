import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

/** Seconds of one core that a file takes on one database, on average. */
const SECONDS_OF_FILE = 2;
/** A run of fewer files shows its end soon. */
const MANY_FILES = 20;
const TOLD_EVERY_MS = 30_000;

/** Tells before a run of many files how long it takes, and during it how far it is, where Jest's own lines do not. */
export default class Progress {
  #begunAt = performance.now();
  #toldAt = this.#begunAt;

  /** @param config the configuration of the whole run */
  constructor({ maxWorkers }) {
    this.maxWorkers = maxWorkers;
  }

  onRunStart({ numTotalTestSuites: files }, { estimatedTime }) {
    this.#begunAt = this.#toldAt = performance.now();
    if (files < MANY_FILES) return;
    const { TEST_DATABASE_URL, TEST_SQLITE } = process.env;
    const databases = TEST_DATABASE_URL && TEST_SQLITE !== 'off' ? 2 : 1;
    const seconds = estimatedTime || (files * SECONDS_OF_FILE * databases) / availableParallelism();
    tell(
      `${files} files, ${this.maxWorkers} at a time: about ${Math.ceil(seconds / 60)} min on a machine that does nothing else.`,
    );
  }

  onTestResult(test, result, { numTotalTestSuites, numPassedTestSuites, numFailedTestSuites }) {
    const now = performance.now();
    const isShown = process.stderr.isTTY;
    if (isShown || numTotalTestSuites < MANY_FILES || now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#toldAt = now;
    const done = numPassedTestSuites + numFailedTestSuites;
    const seconds = Math.round((now - this.#begunAt) / 1000);
    tell(
      `${done} of ${numTotalTestSuites} files after ${seconds} s, ${numFailedTestSuites} of them failed.`,
    );
  }
}

function tell(line) {
  process.stderr.write(`${line}\n`);
}
