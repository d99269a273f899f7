import packageJson from '../../../package.json' with { type: 'json' };

export const serviceVersion: string = packageJson.version;

/** Returns the version of a package at build time. */
export function madeWith(name: string): string {
  return (packageJson.dependencies as Record<string, string>)[name]!;
}

/**
 * Whether `version` is in a range such as `^12.5.1`, as npm reads it: not below it, and with the same number up to the
 * first that is not 0. Versions before a release, such as `1.0.0-beta.1`, are in none.
 * @throws RangeError if the range has another form
 */
export function isInRange(version: string, range: string): boolean {
  const least = numbersOf(range, /^\^(\d+)\.(\d+)\.(\d+)$/);
  if (!least) throw new RangeError(`${range} is no range such as ^1.2.3`);
  const given = numbersOf(version, /^(\d+)\.(\d+)\.(\d+)(?:\+.*)?$/);
  if (!given) return false;
  const fixed = least.findIndex((number) => number !== 0);
  for (const [index, number] of least.entries()) {
    if (given[index] === number) continue;
    return given[index]! > number && fixed !== -1 && index > fixed;
  }
  return true;
}

function numbersOf(text: string, form: RegExp): number[] | undefined {
  return form.exec(text)?.slice(1).map(Number);
}
