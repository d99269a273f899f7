import type { Command, Option } from 'commander';
import { exitCodes } from '../../src/server/cli/exit-code.ts';
import { createProgram } from '../../src/server/cli/program.ts';

/** A command that does something, with its words. */
export interface DocumentedCommand {
  command: Command;
  path: string[];
  example: string;
}

/** Every command of the service itself, with those below it. */
export async function documentedCommands(): Promise<DocumentedCommand[]> {
  const program = await createProgram(() => true);
  return program.commands.flatMap((command) => leavesOf(command, [command.name()]));
}

/** docs/reference/cli.md: every command, with its options and an example. */
export async function cliDocument(): Promise<string> {
  const commands = await documentedCommands();
  const without = (long: string) =>
    commands
      .filter(({ command }) => !command.options.some((option) => isShared(option, long)))
      .map(({ path }) => `\`${path.join(' ')}\``)
      .join(', ');
  const codes = Object.values(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return `# The command line

<!-- commands: test/docs/cli.test.ts parses each -->

For operators: \`user-group-service\` administers the service on its database, and works while the service runs. It reads the same environment, and
acts as the operator: it has every right in every workspace. This page is made from the code by \`npm run docs\`.

| Where | How |
|---|---|
| In the repository | \`npm run --silent cli -- token list\`, which builds what has changed |
| In the image | \`docker compose exec api user-group-service token list\` |
| From the package | \`npx user-group-service token list\` |

\`user-group-service <command> --help\` prints what this page says of a command.

## What is printed

\`-o, --output <form>\` has the same three forms for every command that has a result:

| Form | Prints |
|---|---|
| \`table\` | the default, for people: a list as a table of at most 120 columns, whose long cells are cut, and one object as its fields, whole |
| \`json\` | one document: the response of the operation of the API, with \`has_more\` and \`next_cursor\` of a list; what only the command line does has a response of the same kind |
| \`ndjson\` | the objects of that response without the response around them, one on each line |

A secret, such as a new token, is alone on standard output with \`table\`, so that it can be piped. With \`json\` and \`ndjson\` it is a
field of the object. Sentences, warnings and progress go to standard error. Text for people may change; JSON does not
([versioning.md](../versioning.md)). \`group export\` always prints lines of JSON, and \`openapi\` a JSON document.

## Options of most commands

\`--workspace <name>\` is the workspace that a command works in, by default \`default\`. These have none, or one of their own: ${without('--workspace')}.

\`--output\` is in all but these: ${without('--output')}.

## Exit codes

| Code | Meaning |
|---|---|
${codes.join('\n')}

A signal ends a command with 128 plus its number, such as 130 for Ctrl+C.

## Commands

${commands.map(sectionOf).join('\n\n')}
`;
}

function leavesOf(command: Command, path: string[]): DocumentedCommand[] {
  if (command.commands.length === 0) return [{ command, path, example: exampleOf(command) }];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

function exampleOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return /\nExample:\n {2}(.+)\n/.exec(help)?.[1] ?? '';
}

function sectionOf({ command, path, example }: DocumentedCommand): string {
  const help = command.createHelp();
  const rows = [
    ...help.visibleArguments(command).map((one) => [one.name(), help.argumentDescription(one)]),
    ...help
      .visibleOptions(command)
      .filter(
        (option) =>
          option.long !== '--help' &&
          !isShared(option, '--workspace') &&
          !isShared(option, '--output'),
      )
      .map((option) => [
        help.optionTerm(option),
        `${help.optionDescription(option)}${needOf(option)}`,
      ]),
  ].map(([term, meaning]) => `| \`${term}\` | ${meaning!.replaceAll('|', '\\|')} |`);
  const [first = '', ...rest] = help.commandDescription(command);
  const table =
    rows.length === 0 ? [] : ['', '| Argument or option | Meaning |', '|---|---|', ...rows];
  return [
    `### ${path.join(' ')}`,
    '',
    `${first.toUpperCase()}${rest.join('')}.`,
    '',
    '```sh',
    example,
    '```',
    ...table,
  ].join('\n');
}

/** Whether it is the option that most commands have, with the meaning and the default that it has in those. */
function isShared(option: Option, long: string): boolean {
  const { defaultValue } = option as { defaultValue?: unknown };
  const usual = long === '--workspace' ? 'default' : 'table';
  return option.long === long && defaultValue === usual;
}

function needOf({ mandatory }: Option): string {
  return mandatory ? ' (required)' : '';
}
