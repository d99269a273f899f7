import type { CanActivate } from '@nestjs/common';
import type { Request } from 'express';

/** On the request itself, as the caller is. */
const GUARD = Symbol('guard that authenticates');

interface Marked {
  [GUARD]?: CanActivate;
}

/**
 * Has a request authenticated by `guard`, which sets its caller, and not by the API token in its
 * Authorization header. To be called before the request is routed.
 */
export function authenticateBy(request: Request, guard: CanActivate): void {
  (request as Marked)[GUARD] = guard;
}

/** The guard that authenticates the request in place of the usual one; undefined if none does. */
export function guardOf(request: Request): CanActivate | undefined {
  return (request as Marked)[GUARD];
}
