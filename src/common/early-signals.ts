import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Imported first by every program that may be process 1 of a container. The kernel withholds a
 * signal from process 1 while it has no handler for it, and the process would go on until it is
 * killed. So until `handOverSignals` they end the process with 128 and the number of the signal,
 * which is how any other process would seem to end.
 */
for (const signal of SIGNALS) process.on(signal, end);

function end(signal: NodeJS.Signals): void {
  process.stderr.write(`user-group-service: ended by ${signal}.\n`);
  process.exit(128 + constants.signals[signal]);
}

/**
 * Called by who has handlers of its own, after they are in place.
 * @param onSignal called with the first signal, beside those handlers
 */
export function handOverSignals(
  onSignal: (signal: NodeJS.Signals) => void = () => undefined,
): void {
  for (const signal of SIGNALS) process.once(signal, onSignal).off(signal, end);
}
