import type { Command } from 'commander';
import { outputOption } from './output.ts';

/** The name of the program, also in the package and in the image. */
export const PROGRAM = 'user-group-service';

/**
 * Adds a subcommand with a result.
 * @param example the arguments of an example for the help
 * @param whose the objects that it administers, if they belong to a workspace
 */
export function subcommandOf(
  parent: Command,
  name: string,
  description: string,
  example = '',
  whose?: string,
): Command {
  const subcommand = parent.command(name).description(description);
  return withResult(subcommand, `${parent.name()} ${name} ${example}`, whose);
}

/** Gives a command the option `--output` and, if it is about objects of a workspace, `--workspace`. */
export function withResult(command: Command, example: string, whose?: string): Command {
  withExample(command, example);
  return (whose === undefined ? command : withWorkspaceOption(command, whose)).addOption(
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
