import { HttpException, Injectable, Logger } from '@nestjs/common';
import { isPromise } from 'node:util/types';
import { within } from '../concurrency/within.ts';
import { ExtensionUnavailable } from '../problem/errors.ts';
import { ServiceError } from '../problem/problem.ts';
import { OperatorError } from '../problem/operator-error.ts';
import { reasonOf } from '../problem/reason-of.ts';

/** One call of the code of an extension, for the metrics. */
export interface ExtensionCall {
  extension: string;
  call: string;
  result: 'returned' | 'failed' | 'timed_out';
  seconds: number;
}

/** Describes the value that an extension must return. */
export interface Expected<T> {
  is: (value: unknown) => value is T;
  /** Such as "a list". */
  what: string;
}

/** An error that an extension threw, or a value that it must not return; the message names the extension. */
export class ExtensionFailed extends OperatorError {
  override readonly name = 'ExtensionFailed';
}

/** An extension has taken too long. */
class Late extends Error {}

/** The code of a plugin, or of the application around the service. A failing call affects nothing else. */
export class Extension {
  private readonly logger = new Logger('Extension');

  /** @param name such as `plugin seats` */
  constructor(
    readonly name: string,
    private readonly observe: (call: ExtensionCall) => void,
  ) {}

  /**
   * Runs a call that may take time. Results after the time limit are ignored.
   * @param call name of the call, such as `beforeChange`
   * @throws ExtensionUnavailable after `limitMs`; errors of the catalogue, of Nest and for the operator unchanged;
   *   ExtensionFailed for any other
   */
  async within<T>(
    call: string,
    limitMs: number,
    run: () => unknown,
    expected: Expected<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    let result: ExtensionCall['result'] = 'failed';
    try {
      const running = new Promise<unknown>((resolve) => resolve(run()));
      const usable = this.require(call, await within(limitMs, running, () => new Late()), expected);
      result = 'returned';
      return usable;
    } catch (error) {
      if (!(error instanceof Late)) throw this.toFailure(call, error);
      result = 'timed_out';
      this.logger.error({
        msg: 'an extension call timed out',
        extension: this.name,
        call,
        limitMs,
      });
      throw new ExtensionUnavailable();
    } finally {
      this.report(call, result, startedAt);
    }
  }

  /** Runs a call that must return at once, and no promise. @throws the errors of `within` */
  now<T>(call: string, run: () => unknown, expected: Expected<T>): T {
    const startedAt = performance.now();
    let result: ExtensionCall['result'] = 'failed';
    try {
      const value = run();
      if (isPromise(value)) {
        value.catch(() => undefined);
        throw this.failed(call, 'has returned a promise, and must return at once');
      }
      const usable = this.require(call, value, expected);
      result = 'returned';
      return usable;
    } catch (error) {
      throw this.toFailure(call, error);
    } finally {
      this.report(call, result, startedAt);
    }
  }

  /** @param what such as "has no name" */
  failed(call: string, what: string, cause?: unknown): ExtensionFailed {
    return new ExtensionFailed(`${call} of the ${this.name} ${what}.`, { cause });
  }

  private require<T>(call: string, value: unknown, { is, what }: Expected<T>): T {
    if (is(value)) return value;
    throw this.failed(call, `must return ${what}`);
  }

  private toFailure(call: string, error: unknown): unknown {
    const isMeant = [ServiceError, HttpException, OperatorError].some(
      (type) => error instanceof type,
    );
    return isMeant ? error : this.failed(call, `has failed: ${reasonOf(error)}`, error);
  }

  private report(call: string, result: ExtensionCall['result'], startedAt: number): void {
    const seconds = (performance.now() - startedAt) / 1000;
    this.observe({ extension: this.name, call, result, seconds });
  }
}

/** For calls whose result is ignored. */
export const ANYTHING = { is: () => true, what: 'anything' } as unknown as Expected<unknown>;

/** The extensions of one application. */
@Injectable()
export class Extensions {
  observe: (call: ExtensionCall) => void = () => undefined;

  /** @param name such as `plugin seats` */
  named(name: string): Extension {
    return new Extension(name, (call) => this.observe(call));
  }
}
