import type { Request } from 'express';
import type { ServiceError } from './errors.ts';

/** Is told of each call that was refused for its credentials or its scopes. */
export abstract class RefusalObserver {
  /** Returns at once, and never throws. */
  abstract record(error: ServiceError, request: Request): void;
}
