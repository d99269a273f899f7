import { type CanActivate, type DynamicModule, Module, type Type } from '@nestjs/common';
import { AccessRefusalLog } from '../audit/access-refusal-log.ts';
import { AuditModule } from '../audit/audit.module.ts';
import { ACCESS_STEPS } from '../common/access.guard.ts';
import { RefusalObserver } from '../common/refusal-observer.ts';
import { ScopeGuard } from '../common/scope.guard.ts';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.ts';
import { RateLimitModule } from '../rate-limit/rate-limit.module.ts';
import { ApiTokenModule } from './api-token.module.ts';
import { AuthenticationGuard } from './authentication.guard.ts';

/** Decides about every call to a handler that declares who may call it, in whatever module that is. */
@Module({})
export class AccessModule {
  /** @param guards of the application's own, which a call passes before all others */
  static with(guards: readonly Type<CanActivate>[] = []): DynamicModule {
    return {
      module: AccessModule,
      global: true,
      imports: [ApiTokenModule, AuditModule, RateLimitModule],
      providers: [
        ...guards,
        AuthenticationGuard,
        ScopeGuard,
        {
          provide: ACCESS_STEPS,
          inject: [...guards, AuthenticationGuard, RateLimitGuard, ScopeGuard],
          useFactory: (...steps: CanActivate[]) => steps,
        },
        { provide: RefusalObserver, useExisting: AccessRefusalLog },
      ],
      exports: [ACCESS_STEPS, RefusalObserver],
    };
  }
}
