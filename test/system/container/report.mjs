import console from 'node:console';

/** Prints each result as a line of its own, and remembers whether one was bad. */
export class Report {
  failures = 0;
  unchecked = 0;

  /**
   * @param check resolves with what was found, as words or figures; a rejection is a failure, unless
   *   it is `NotChecked`
   */
  async check(name, check) {
    try {
      console.log(`ok           ${name}: ${await check()}`);
    } catch (error) {
      const unchecked = error instanceof NotChecked;
      if (unchecked) this.unchecked++;
      else this.failures++;
      console.log(`${unchecked ? 'NOT CHECKED ' : 'FAILED      '} ${name}: ${error.message}`);
    }
  }
}

/** This machine cannot show it; the message says why. */
export class NotChecked extends Error {}

/** @throws unless `condition` holds */
export function must(condition, otherwise) {
  if (!condition) throw new Error(otherwise);
}
