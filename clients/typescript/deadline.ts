import { ApiError } from './api-error.js';

/** Ends an attempt that takes too long, or that the caller has given up. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #ms: number;
  #isOver = false;
  #own: { error: unknown } | undefined;

  constructor(
    ms: number,
    private readonly address: string,
    private readonly caller?: AbortSignal,
  ) {
    this.#ms = ms;
    this.signal = caller
      ? AbortSignal.any([caller, this.#controller.signal])
      : this.#controller.signal;
  }

  /** Begins to count from zero. */
  restart(): void {
    this.stop();
    if (this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#controller.abort(
        new DOMException(`nothing was received for ${this.#ms} ms`, 'TimeoutError'),
      );
    }, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Stops for good: the attempt is over. */
  end(): void {
    this.#isOver = true;
    this.stop();
  }

  /** Ends the attempt with an error of the caller's own code. */
  fail(error: unknown): void {
    this.#own = { error };
    this.cancel();
  }

  /** Ends the attempt without an error: nobody reads on. */
  cancel(): void {
    this.end();
    this.#controller.abort();
  }

  /** Returns the error to throw for one that has ended the attempt: the reason of the caller's own signal as it is. */
  errorOf(error: unknown): unknown {
    if (this.#own) return this.#own.error;
    if (this.caller?.aborted) return this.caller.reason;
    if (error instanceof ApiError) return error;
    if (!this.#controller.signal.aborted) return lost(this.address, error);
    const { reason: cause } = this.#controller.signal as { reason: unknown };
    return new ApiError(undefined, `the service sent nothing for ${this.#ms} ms`, { cause });
  }
}

/** Returns the error of a call without a whole response, with the address and the system's reason, such as ECONNREFUSED. */
export function lost(address: string, cause: unknown): ApiError {
  const reason = reasonOf(cause);
  const { origin } = new URL(address);
  const detail = `${origin}: the connection failed or was lost${reason && ` (${reason})`}`;
  return new ApiError(undefined, detail, { cause });
}

/** Reads the code of an error, or of what has caused it. */
function reasonOf(error: unknown, depth = 0): string {
  if (typeof error !== 'object' || error === null || depth > 4) return '';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  const isName = typeof code === 'string' && /^[A-Z][A-Z\d_]+$/.test(code);
  return isName ? code : reasonOf(cause, depth + 1);
}
