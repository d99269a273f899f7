import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Handles signals from the very start, in every program that may be process 1 of a container; to be
 * imported first. The kernel withholds a signal from process 1 while it has no handler for it, and
 * the process would run on until it is killed. Until `handOverSignals`, a signal ends the process
 * with 128 plus its number, the exit code that any other process would have.
 */
for (const signal of SIGNALS) process.on(signal, end);

function end(signal: NodeJS.Signals): void {
  process.stderr.write(`user-group-service: ended by ${signal}.\n`);
  process.exit(128 + constants.signals[signal]);
}

/**
 * Removes these handlers, once a program has its own in place.
 * @param onSignal called with the first signal, beside those handlers
 */
export function handOverSignals(
  onSignal: (signal: NodeJS.Signals) => void = () => undefined,
): void {
  for (const signal of SIGNALS) process.once(signal, onSignal).off(signal, end);
}
