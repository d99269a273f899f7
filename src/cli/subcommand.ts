import type { Command } from 'commander';

/** The name of the program, also in the package and in the image. */
export const PROGRAM = 'user-group-service';

/**
 * Adds a subcommand.
 * @param example the arguments of an example for the help
 */
export function subcommandOf(parent: Command, name: string, description: string, example = ''): Command {
  return withExample(parent.command(name).description(description), `${parent.name()} ${name} ${example}`);
}

/** @param example the arguments of the program */
export function withExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  ${PROGRAM} ${example}`.trimEnd());
}

/** Adds the option that names the workspace of a command. */
export function withWorkspaceOption(command: Command, whose: string): Command {
  return command.option('--workspace <name>', `the workspace of the ${whose}`, 'default');
}
