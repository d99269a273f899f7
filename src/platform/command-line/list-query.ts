import { type Command, InvalidArgumentError } from 'commander';

const DEFAULT_COUNT = 100;
const MAX_COUNT = 10_000;

/** The options of a command that has `limitOption`. */
export interface Limited {
  limit: number;
}

/** Adds an option for each parameter of a list of the API: `--name-prefix` for `name_prefix`. */
export function parameterOptions(command: Command, parameters: Record<string, string>): Command {
  for (const [name, about] of Object.entries(parameters)) {
    command.option(`--${name.replaceAll('_', '-')} <value>`, about);
  }
  return command;
}

/** Returns the parameters that were given. */
export function givenParameters(
  options: object,
  parameters: Record<string, string>,
): Record<string, string> {
  const given = options as Record<string, string | undefined>;
  const found = Object.keys(parameters).map((name) => [name, given[toCamel(name)]] as const);
  return Object.fromEntries(
    found.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Adds the option for the number of entries, which may be many. */
export function limitOption(command: Command, most = MAX_COUNT): Command {
  const parse = (text: string) => {
    const limit = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
    if (limit >= 1 && limit <= most) return limit;
    throw new InvalidArgumentError(`Use a number from 1 to ${most}.`);
  };
  return command.option(
    '--limit <count>',
    `number of entries, at most ${most}`,
    parse,
    DEFAULT_COUNT,
  );
}

function toCamel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
