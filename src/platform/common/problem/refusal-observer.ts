import type { Request } from 'express';
import type { ServiceError } from './problem.ts';

/** Records calls that are refused for their credentials or scopes. */
export abstract class RefusalObserver {
  /** Returns at once, and never throws. */
  abstract record(error: ServiceError, request: Request): void;
}
