import { Logger } from '@nestjs/common';
import {
  ExpectationFailed,
  HeadersTooLarge,
  MethodNotAllowed,
  RequestMalformed,
  RequestTimeout,
} from '../../problem/errors.ts';
import type { ServiceError } from '../../problem/problem.ts';

const LINE_EVERY_MS = 60_000;

/**
 * Counts requests that are refused before they reach a route and so have no line in the access log. Logs their number
 * at most once a minute, the first of them at once.
 */
export class MalformedRequests {
  /** Counts by code of the response, all starting at 0. */
  readonly counts: Record<string, number> = Object.fromEntries(
    [RequestMalformed, HeadersTooLarge, RequestTimeout, ExpectationFailed, MethodNotAllowed].map(
      ({ spec }) => [spec.code, 0],
    ),
  );

  private readonly logger = new Logger('Http');
  /** Counts not yet logged, by the parser's name for the fault, else by code. */
  private unlogged = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  note({ spec: { code } }: ServiceError, reason = code): void {
    this.counts[code] = (this.counts[code] ?? 0) + 1;
    this.unlogged.set(reason, (this.unlogged.get(reason) ?? 0) + 1);
    if (!this.timer) this.log();
  }

  private log(): void {
    this.timer = undefined;
    if (this.unlogged.size === 0) return;
    const reasons = Object.fromEntries(this.unlogged);
    const count = [...this.unlogged.values()].reduce((sum, one) => sum + one);
    this.unlogged = new Map();
    this.logger.log({ msg: 'malformed HTTP', count, reasons });
    this.timer = setTimeout(() => this.log(), LINE_EVERY_MS).unref();
  }
}
