import process from 'node:process';

/** Facts of Cube that have neither a token nor a value of a variable. `error`, `query` and `values` can have both. */
const SAFE = ['duration', 'method', 'status', 'apiType', 'protocol', 'warning'];
/** A request id that a viewer cannot write other things into. */
const REQUEST_ID = /^[\w.-]{1,128}$/;
const TALKATIVE = new Set(['info', 'trace']);

/** An entry of the log. */
export interface Entry {
  level: 'error' | 'warn' | 'info';
  message: string;
  [fact: string]: unknown;
}

/** Writes an entry to the standard output, as a line of JSON. */
export function writeEntry({ level, message, ...facts }: Entry): void {
  const time = new Date().toISOString();
  process.stdout.write(`${JSON.stringify({ time, level, message, ...facts })}\n`);
}

/**
 * Logs what Cube says, without the token, the query and the variables of the viewer, and without texts of errors, in which
 * databases quote values. `CUBEJS_LOG_LEVEL` has the meaning that it has for Cube.
 * @param withErrorTexts whether texts of errors are written
 */
export function loggerOf(
  withErrorTexts: boolean,
): (message: string, params: Readonly<Record<string, unknown>>) => void {
  return (message, params) => {
    const { error, warning, requestId, path } = params;
    const level = error ? 'error' : warning ? 'warn' : 'info';
    if (level === 'info' && !TALKATIVE.has(process.env['CUBEJS_LOG_LEVEL'] ?? '')) return;
    const id = typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : undefined;
    writeEntry({
      level,
      message,
      requestId: id,
      ...(typeof path === 'string' && { path: path.split('?', 1)[0] }),
      ...Object.fromEntries(SAFE.map((name) => [name, params[name]])),
      ...(withErrorTexts && { error }),
    });
  };
}
