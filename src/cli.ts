#!/usr/bin/env node
import './platform/common/early-signals.ts';
import { exitCodeOf } from './server/cli/exit-code.ts';
import { createProgram } from './server/cli/program.ts';
import { endProgress } from './platform/command-line/show-progress.ts';
import { exitWith } from './platform/common/problem/exit-with.ts';
import { OperatorError } from './platform/common/problem/operator-error.ts';
import { loadDotEnv } from './platform/config/load-config.ts';
import { loadPlugins } from './platform/config/load-plugins.ts';

async function main(): Promise<void> {
  loadDotEnv();
  // Before the commands: plugins declare scopes, which the help names.
  const plugins = await loadPlugins(process.env);
  // A name anywhere, as in "help token", excludes all other commands.
  const program = await createProgram((name) => process.argv.includes(name), plugins);
  await program.parseAsync();
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
