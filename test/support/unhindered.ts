import { setTimeout as sleep } from 'node:timers/promises';

/** A test that compares times of a second or less means nothing if the process had no turn in that time. */
const HELD_UP_MS = 100;
const TURN_MS = 10;
const TRIES = 3;

/**
 * Makes the body of a test that compares how long something takes in this process. It is tried again if it has failed
 * while the machine held up the process, so that the times mean nothing. A failure without that counts at once, and one
 * that comes with each of three tries counts, too. Each repetition is written to stderr.
 * @param prepare restores what the body begins with
 */
export function unhindered<Row extends unknown[]>(
  body: (...row: Row) => Promise<void>,
  prepare: () => Promise<void> | void = () => undefined,
): (...row: Row) => Promise<void> {
  return async (...row) => {
    for (let tries = 1; ; tries++) {
      const turns = new Turns();
      try {
        await body(...row);
        return;
      } catch (error) {
        // The next turn tells of what has held up this one.
        await sleep(2 * TURN_MS);
        if (tries === TRIES || turns.longestMs < HELD_UP_MS) throw error;
        const { currentTestName } = expect.getState();
        process.stderr.write(`Held up for ${Math.round(turns.longestMs)} ms, tried again: ${currentTestName}\n`);
      } finally {
        turns.end();
      }
      await prepare();
    }
  };
}

/** Measures the time between turns of the event loop, by a clock that no test fakes. */
class Turns {
  longestMs = 0;
  private last = process.hrtime.bigint();
  private readonly timer = setInterval(() => {
    const now = process.hrtime.bigint();
    this.longestMs = Math.max(this.longestMs, Number(now - this.last) / 1e6);
    this.last = now;
  }, TURN_MS);

  end(): void {
    clearInterval(this.timer);
  }
}
