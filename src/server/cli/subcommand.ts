import type { Command } from 'commander';
import { outputOption } from './output.ts';

/** The name of the program, also in the package and in the image. */
export const PROGRAM = 'user-group-service';

/**
 * Adds a subcommand with a result, which has the option `--output`.
 * @param example the arguments of an example for the help
 * @param whose the things that it administers, if they belong to a workspace: then it has the option `--workspace`, too
 */
export function subcommandOf(
  parent: Command,
  name: string,
  description: string,
  example = '',
  whose?: string,
): Command {
  const subcommand = withExample(
    parent.command(name).description(description),
    `${parent.name()} ${name} ${example}`,
  );
  return (whose === undefined ? subcommand : withWorkspaceOption(subcommand, whose)).addOption(
    outputOption(),
  );
}

/** @param example the arguments of the program */
export function withExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  ${PROGRAM} ${example}`.trimEnd());
}

/** Adds the option that names the workspace of a command. */
export function withWorkspaceOption(command: Command, whose: string): Command {
  return command.option('--workspace <name>', `the workspace of the ${whose}`, 'default');
}
