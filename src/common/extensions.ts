import { HttpException, Injectable, Logger } from '@nestjs/common';
import { isPromise } from 'node:util/types';
import { ExtensionUnavailable, ServiceError } from './errors.ts';
import { OperatorError } from './operator-error.ts';
import { reasonOf } from './reason-of.ts';

/** One call of the code of an extension, for the metrics. */
export interface ExtensionCall {
  extension: string;
  call: string;
  result: 'returned' | 'failed' | 'timed_out';
  seconds: number;
}

/** What an extension has to return. */
export interface Expected<T> {
  is: (value: unknown) => value is T;
  /** Such as "a list". */
  what: string;
}

/** What an extension has thrown, or has returned although it must not; the message names the extension. */
export class ExtensionFailed extends OperatorError {
  override readonly name = 'ExtensionFailed';
}

/** The code of a plugin, or of the application around the service: a call of it takes nothing else along. */
export class Extension {
  private readonly logger = new Logger('Extension');

  /** @param name such as `plugin seats` */
  constructor(
    readonly name: string,
    private readonly observe: (call: ExtensionCall) => void,
  ) {}

  /**
   * Calls what may take some time. What the call does after its time is nobody's concern any more.
   * @param call what is called, such as `beforeChange`
   * @throws ExtensionUnavailable after `limitMs`; errors of the catalogue, of Nest and for the operator as they are,
   *   ExtensionFailed for any other
   */
  async within<T>(
    call: string,
    limitMs: number,
    run: () => unknown,
    expected: Expected<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    const late = Symbol('late');
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<typeof late>((resolve) => {
      timer = setTimeout(resolve, limitMs, late);
    });
    let result: ExtensionCall['result'] = 'failed';
    try {
      const running = new Promise<unknown>((resolve) => {
        resolve(run());
      });
      const value = await Promise.race([running, deadline]);
      if (value !== late) {
        const usable = this.require(call, value, expected);
        result = 'returned';
        return usable;
      }
      result = 'timed_out';
    } catch (error) {
      throw this.toFailure(call, error);
    } finally {
      clearTimeout(timer);
      this.report(call, result, startedAt);
    }
    const { name: extension } = this;
    this.logger.error({ msg: 'an extension has not returned', extension, call, limitMs });
    throw new ExtensionUnavailable();
  }

  /** Calls what must return at once, and nothing in the future. @throws as `within` */
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

/** For calls whose value nobody looks at. */
export const ANYTHING = { is: () => true, what: 'anything' } as unknown as Expected<unknown>;

/** Everything that is called of extensions in one application. */
@Injectable()
export class Extensions {
  /** Is told of each call. */
  observe: (call: ExtensionCall) => void = () => undefined;

  /** @param name such as `plugin seats` */
  named(name: string): Extension {
    return new Extension(name, (call) => {
      this.observe(call);
    });
  }
}
