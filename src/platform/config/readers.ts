import { ConfigError } from './variable.ts';

const UNIT_BYTES: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2 };
const UNIT_SECONDS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

type Unit = keyof typeof UNIT_SECONDS;

/** Accepts any text. */
export function text(value: string): string {
  return value;
}

/** Reads a comma-separated list. */
export function list(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** Reads a comma-separated list of one name at least, in any case. */
export function nameList(value: string): string[] {
  const names = list(value.toLowerCase());
  if (names.length > 0) return names;
  throw new ConfigError('must have a name at least.');
}

/** Makes a reader of whole numbers from `min` to `max`. */
export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    throw new ConfigError(`must be a whole number from ${min} to ${max}.`);
  };
}

/** Makes a reader of bytes, with the optional units KiB and MiB: `65536`, `256KiB`, `1MiB`. */
export function bytes(min: number, max: number): (value: string) => number {
  return (value) => {
    const [, digits, unit] = /^(\d{1,12})\s*(?:([km])ib)?$/i.exec(value) ?? [];
    const number = Number(digits) * (UNIT_BYTES[unit?.toLowerCase() ?? ''] ?? NaN);
    if (number >= min && number <= max) return number;
    throw new ConfigError(
      `must be a size such as 65536, 256KiB or 1MiB, from ${min} to ${max} bytes.`,
    );
  };
}

/** Makes a reader of a time in this unit: `30`, or with a unit of its own `90s`, `30m`, `168h`, `7d`. */
export function duration(unit: Unit, min: number, max: number): (value: string) => number {
  return (value) => {
    const [, digits, letter] = /^(\d{1,10})([smhd]?)$/i.exec(value) ?? [];
    const own =
      (Object.keys(UNIT_SECONDS) as Unit[]).find(([first]) => first === letter?.toLowerCase()) ??
      unit;
    const number = (Number(digits) * UNIT_SECONDS[own]) / UNIT_SECONDS[unit];
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    throw new ConfigError(
      `must be from ${min} to ${max} whole ${unit}: a number, or a duration such as 90s, 30m, 168h or 7d.`,
    );
  };
}

const ON = ['on', 'true', 'yes', '1'];
const OFF = ['off', 'false', 'no', '0'];

export function onOff(value: string): boolean {
  const word = value.toLowerCase();
  if ([...ON, ...OFF].includes(word)) return ON.includes(word);
  throw new ConfigError('must be on or off; true and false, yes and no, 1 and 0 mean the same.');
}

/** Makes a reader of one of these words, in any case. */
export function oneOf<const T extends string>(...choices: T[]): (value: string) => T {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value.toLowerCase());
    if (choice !== undefined) return choice;
    throw new ConfigError(`must be one of ${choices.join(', ')}.`);
  };
}
