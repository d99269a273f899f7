import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

/** Injection token of the steps that every call passes, in order: authentication, rate limit, scope, parameters. */
export const ACCESS_STEPS = Symbol('access steps');

/** Admits a call that every step admits. Decorators that declare access add this guard. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(ACCESS_STEPS) private readonly steps: readonly CanActivate[]) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.pass(context, 0);
  }

  /** Awaits only the steps that return a promise: most calls need none. */
  private pass(context: ExecutionContext, from: number): boolean | Promise<boolean> {
    for (let index = from; index < this.steps.length; index += 1) {
      const admitted = this.steps[index]!.canActivate(context);
      if (admitted === false) return false;
      if (admitted !== true) {
        const first = admitted instanceof Promise ? admitted : firstValueFrom(admitted);
        return first.then((isAdmitted) => isAdmitted && this.pass(context, index + 1));
      }
    }
    return true;
  }
}
