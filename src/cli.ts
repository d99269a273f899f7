#!/usr/bin/env node
import './platform/common/early-signals.ts';
import type { Command } from 'commander';
import { exitCodeOf } from './server/cli/exit-code.ts';
import { createProgram } from './server/cli/program.ts';
import { endProgress } from './server/cli/show-progress.ts';
import { exitWith } from './platform/common/problem/exit-with.ts';
import type { Plugin, WithServices } from './platform/common/extension/plugin.ts';
import { OperatorError } from './platform/common/problem/operator-error.ts';
import { loadDotEnv } from './platform/config/load-config.ts';
import { loadPlugins } from './platform/config/load-plugins.ts';

async function main(): Promise<void> {
  loadDotEnv();
  // Before the commands: plugins declare scopes, which the help names.
  const plugins = await loadPlugins(process.env);
  // A name anywhere, as in "help token", excludes all other commands.
  const program = await createProgram((name) => process.argv.includes(name));
  await addCommandsOfPlugins(program, plugins);
  await program.parseAsync();
}

async function addCommandsOfPlugins(program: Command, plugins: readonly Plugin[]): Promise<void> {
  for (const { definition, title } of plugins) {
    for (const { name, about, define } of definition.commands ?? []) {
      const taken = program.commands.some((command) => command.name() === name);
      if (taken || name === 'help') {
        throw new OperatorError(`The command ${name} of the ${title} exists already.`);
      }
      const command = program.command(name).description(about);
      // A command that cannot be loaded leaves the others usable.
      if (!process.argv.includes(name)) continue;
      const { ANYTHING, Extensions } = await import('./platform/common/extension/extensions.ts');
      const withServices: WithServices = async (work) => {
        await (await import('./server/cli/with-services.ts')).withServices(work);
      };
      const run = () => {
        define(command, withServices);
      };
      new Extensions().named(title).now(`the command ${name}`, run, ANYTHING);
    }
  }
}

// The reader of the output, such as `head`, may have closed it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

let isDone = false;
// The event loop is empty, but the command still waits.
process.once('beforeExit', () => {
  if (!isDone) exitWith(new OperatorError('The command has stopped before its end.'));
});
main().then(
  () => (isDone = true),
  (error: unknown) => {
    endProgress();
    exitWith(error, exitCodeOf(error));
  },
);
