import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Handles signals from the very start, in every program that may be process 1 of a container; must be imported first.
 * The kernel withholds a signal from process 1 until it has a handler, and the process would run until it is killed.
 * Until `handOverSignals`, a signal ends the process with 128 plus its number, the usual exit code.
 */
for (const signal of SIGNALS) process.on(signal, end);

function end(signal: NodeJS.Signals): void {
  process.stderr.write(`user-group-service: ended by ${signal}.\n`);
  process.exit(128 + constants.signals[signal]);
}

/**
 * Removes these handlers, when a program has its own in place.
 * @param onSignal called with the first signal, in addition to those handlers
 */
export function handOverSignals(
  onSignal: (signal: NodeJS.Signals) => void = () => undefined,
): void {
  for (const signal of SIGNALS) process.once(signal, onSignal).off(signal, end);
}
