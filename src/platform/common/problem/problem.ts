import { MAX_VIOLATIONS, type Violation } from './violation.ts';

/** The appearance of a class of errors on the wire, in the log and in the catalogue. */
export interface ErrorSpec {
  status: number;
  /** Stable; callers switch on it. */
  code: string;
  title: string;
  /** Says when it happens and what to do. */
  about: string;
  /** The message of an instance, or an example of it; by default `about`. */
  detail?: string;
  /** An example of the violations of an instance. */
  errors?: readonly Violation[];
  /** An example of the members of an instance. */
  members?: object;
  /** Level of an additional line in the log; a mere refusal needs none. */
  level?: 'warn' | 'error';
}

/** Header fields of the response. */
export type ErrorHeaders = Readonly<Record<string, string>>;

/** The parts of an error besides its text. */
export interface ErrorDetails {
  /** For the log alone. */
  cause?: unknown;
  headers?: ErrorHeaders;
  /** Cut to `MAX_VIOLATIONS`. */
  violations?: readonly Violation[];
  /** Members of the response that only errors of this class have. */
  members?: object;
}

/** An error of the catalogue. Its message is for the caller. */
export abstract class ServiceError extends Error {
  static readonly spec: ErrorSpec;
  headers: ErrorHeaders;
  readonly violations?: readonly Violation[];
  readonly members: object | undefined;

  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.headers = details.headers ?? {};
    this.members = details.members;
    if (details.violations) this.violations = details.violations.slice(0, MAX_VIOLATIONS);
  }

  get spec(): ErrorSpec {
    return (this.constructor as typeof ServiceError).spec;
  }
}

/** Every error of the API, by status and code: the source of docs/reference/errors.md and of the OpenAPI document. */
export const errorCatalogue: ErrorSpec[] = [];
/** The codes of the catalogue, in its order. */
export const errorCodes: string[] = [];

/** A catalogue entry, whose title is by default its code in words. */
type Entry = Omit<ErrorSpec, 'status' | 'code' | 'title'> & {
  title?: string;
  headers?: ErrorHeaders;
};

/** The class of an error, with its row of the catalogue. */
export interface ErrorClass<Args extends unknown[] = [detail?: string, details?: ErrorDetails]> {
  new (...args: Args): ServiceError;
  readonly spec: ErrorSpec;
}

/** Makes the base class of an error, and registers its catalogue entry. */
export function problem(status: number, code: string, { headers, ...texts }: Entry): ErrorClass {
  const spec: ErrorSpec = { status, code, title: titleOf(code), ...texts };
  enter(spec);
  return class extends ServiceError {
    static override readonly spec = spec;

    constructor(detail = spec.detail ?? spec.about, details: ErrorDetails = {}) {
      super(detail, { headers, ...details });
    }
  };
}

/** Keeps the order of the catalogue independent of which errors are loaded first. */
function enter(spec: ErrorSpec): void {
  const next = errorCatalogue.findIndex(({ status, code }) =>
    status === spec.status ? code > spec.code : status > spec.status,
  );
  const place = next === -1 ? errorCatalogue.length : next;
  errorCatalogue.splice(place, 0, spec);
  errorCodes.splice(place, 0, spec.code);
}

function titleOf(code: string): string {
  const words = code
    .replaceAll('_', ' ')
    .replace(/\b(api|json|url)\b/, (name) => name.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Makes the base class of an error that has the message of its kind, and a cause for the log alone. */
export function failure(status: number, code: string, entry: Entry): ErrorClass<[cause?: unknown]> {
  return class extends problem(status, code, entry) {
    constructor(cause?: unknown) {
      super(undefined, { cause });
    }
  };
}
