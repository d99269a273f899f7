import type { LoggerService } from '@nestjs/common';
import { isatty } from 'node:tty';
import type { PrettyOptions } from 'pino-pretty';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { OperatorError } from './problem/operator-error.ts';
import { redactor } from './secret/secrets.ts';

export interface LogOptions {
  logLevel: string;
  logFormat: 'json' | 'pretty';
  /** Possibly a text without the form of a token, which no pattern finds. */
  bootstrapApiToken?: string;
}

/**
 * Creates the log of the process. No line of it can hold a token, wherever it came from.
 * @param stream file descriptor: 1 for standard output, 2 for standard error
 */
export async function createLog(
  { logLevel, logFormat, bootstrapApiToken }: LogOptions,
  stream = 1,
): Promise<Logger> {
  const options: LoggerOptions = {
    level: logLevel,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
    serializers: { err: errorFields },
    redact: {
      paths: ['authorization', 'token', 'client_secret'].flatMap((name) => [name, `*.${name}`]),
      censor: '[redacted]',
    },
    hooks: { streamWrite: redactor(bootstrapApiToken) },
  };
  if (logFormat === 'json') return pino(options, pino.destination(stream));
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ ...ONE_LINE, colorize: isatty(stream), destination: stream, sync: true }),
  );
}

const FIRST_FIELDS = ['method', 'path', 'status', 'ms', 'code'];

/** Keeps each entry without an error in one line, with what is read first in front: `request PUT /api/user 200 3.5`. */
const ONE_LINE: PrettyOptions = {
  messageFormat: (entry, key) =>
    [key, ...FIRST_FIELDS]
      .filter((field) => entry[field] !== undefined)
      .map((field) =>
        typeof entry[field] === 'string' ? entry[field] : JSON.stringify(entry[field]),
      )
      .join(' '),
  ignore: FIRST_FIELDS.join(),
  singleLine: true,
};

/**
 * Reduces an error to its safe fields: a driver's error carries the parameters of the statement, which are the callers'
 * data.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  return { name, message, code, stack };
}

function toFields(message: unknown): object {
  if (message instanceof Error) return { err: message };
  return typeof message === 'object' && message !== null ? message : { msg: message };
}

/** Messages of the framework about its start, useful only to its developers. */
const START_CHATTER = [
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
];

/** Writes the lines of Nest and of every `new Logger(name)` to `log`. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log = this.at('info');
  error = this.at('error');
  warn = this.at('warn');
  debug = this.at('debug');
  verbose = this.at('trace');
  fatal = this.at('fatal');

  /** Nest passes the message, optional values such as a stack, and the name of the logger last. */
  private at(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace') {
    return (message: unknown, ...rest: unknown[]): void => {
      // Nest logs the error that stops the start; the entry point prints it in one line.
      if (message instanceof OperatorError) return;
      const context = rest.at(-1);
      const fields = toFields(message);
      const chatter = level === 'info' && START_CHATTER.includes(String(context));
      this.logger[chatter ? 'debug' : level]({ context, ...fields });
    };
  }
}
