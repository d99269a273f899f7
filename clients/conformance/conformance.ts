#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from './config.ts';
import { countsOf, type Outcome, type Result } from './outcome.ts';
import { type Format, FORMATS, reportOf, withoutControls } from './report.ts';
import { CHECKS, CHECKS_AT_ONCE, Conformance, Unreachable } from './run.ts';

const USAGE = `Usage: conformance --config renderer.json [options]

Checks whether a renderer keeps tenants apart.

  --config FILE      describes the renderer
  --output FORMAT    text (default), tap, junit or html
  --to FILE          writes the report to a file; the terminal gets the text
  --only PATTERNS    checks these alone, such as token-*,embed-audience
  --jobs N           checks at once (${CHECKS_AT_ONCE})
  --strict           a check that is skipped is a failure
  --list             prints the checks

Exit codes: 0 every check has passed or was skipped, 1 a check has failed or could not be judged, 2 the configuration or
the call is wrong, 3 the service or the renderer could not be reached, 130 and 143 interrupted.
`;

/** The exit codes of the command. */
const EXIT = { passed: 0, failed: 1, usage: 2, unreachable: 3 };
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const options = {
  config: { type: 'string' },
  output: { type: 'string', default: 'text' },
  to: { type: 'string' },
  only: { type: 'string' },
  jobs: { type: 'string', default: String(CHECKS_AT_ONCE) },
  strict: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** A call that cannot be understood. */
class UsageError extends Error {}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** @returns the exit code */
async function main(args: string[]): Promise<number> {
  const values = readArguments(args);
  if (values.help) return print(USAGE);
  if (values.list) {
    return print(CHECKS.map(({ id, title }) => `${id.padEnd(24)} ${title}\n`).join(''));
  }
  if (values.config === undefined) throw new UsageError('--config is missing');
  const format = FORMATS.find((name) => name === values.output);
  if (!format) throw new UsageError('--output is text, tap, junit or html');
  if (!/^[1-9]\d?$/.test(values.jobs)) throw new UsageError('--jobs is a number from 1 to 99');
  const wanted = wantedBy(values.only);
  const config = readConfig(values.config, process.env);
  const run = new Conformance(config);
  endOnSignals(run);
  try {
    const outcome = await run.run(wanted, Number(values.jobs), (result) =>
      process.stderr.write(`${result.outcome} ${result.id}\n`),
    );
    report(outcome, format, values.to);
    return exitCodeOf(outcome.results, values.strict);
  } finally {
    await end(run);
  }
}

/** @throws UsageError if the file cannot be written; the terminal has the text already */
function report(outcome: Outcome, format: Format, to: string | undefined): void {
  print(reportOf(to === undefined ? format : 'text', outcome));
  try {
    if (to !== undefined) writeFileSync(to, reportOf(format, outcome));
  } catch (error) {
    throw new UsageError(`--to: ${(error as Error).message}`);
  }
}

function exitCodeOf(results: Result[], isStrict: boolean): number {
  const { failed, unjudged, error, skipped } = countsOf(results);
  if (failed + unjudged > 0 || (isStrict && skipped > 0)) return EXIT.failed;
  return error > 0 ? EXIT.unreachable : EXIT.passed;
}

function endOnSignals(run: Conformance): void {
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      // A second signal ends the process at once; the groups then end by themselves.
      void end(run).then(() => process.exit(code));
    });
  }
}

/** Removes the groups of the run. A failure changes no outcome, because groups that stay end by themselves. */
async function end(run: Conformance): Promise<void> {
  try {
    await run.end();
  } catch (error) {
    complain(
      `warning: groups of this run stay until their valid_until: ${(error as Error).message}`,
    );
  }
}

/** @throws UsageError for a pattern that no check has */
function wantedBy(only: string | undefined): (id: string) => boolean {
  if (only === undefined) return () => true;
  const patterns = only.split(',').map((pattern) => {
    const expression = new RegExp(
      `^${pattern
        .trim()
        .replace(/[^\w*-]/g, '')
        .replaceAll('*', '.*')}$`,
    );
    if (!CHECKS.some(({ id }) => expression.test(id))) {
      throw new UsageError(`no check is called ${pattern}; --list has them`);
    }
    return expression;
  });
  return (id) => patterns.some((expression) => expression.test(id));
}

function complain(text: string): void {
  process.stderr.write(`${withoutControls(text)}\n`);
}

function print(text: string): number {
  process.stdout.write(text);
  return EXIT.passed;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { message } = error as Error;
  complain(error instanceof UsageError ? `${message}\n\n${USAGE}` : message);
  if (error instanceof UsageError || error instanceof ConfigError) process.exitCode = EXIT.usage;
  else if (error instanceof Unreachable) process.exitCode = EXIT.unreachable;
  else throw error;
}
