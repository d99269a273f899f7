import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

/** Injection token of what every call passes, in order: authentication, rate limit, scope. */
export const ACCESS_STEPS = Symbol('access steps');

/** Admits a call that every step admits. Handlers that declare who may call them bring it along. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(ACCESS_STEPS) private readonly steps: readonly CanActivate[]) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.pass(context, 0);
  }

  /** Waits for those steps alone that give a promise: usually nobody does. */
  private pass(context: ExecutionContext, from: number): boolean | Promise<boolean> {
    for (let index = from; index < this.steps.length; index += 1) {
      const admitted = this.steps[index]!.canActivate(context);
      if (admitted === false) return false;
      if (admitted !== true) {
        return firstOf(admitted).then((isAdmitted) => isAdmitted && this.pass(context, index + 1));
      }
    }
    return true;
  }
}

/** Guards may give an observable, as Nest allows. */
function firstOf(admitted: Exclude<ReturnType<CanActivate['canActivate']>, boolean>) {
  return admitted instanceof Promise ? admitted : firstValueFrom(admitted);
}
