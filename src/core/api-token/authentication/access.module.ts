import { type CanActivate, type DynamicModule, Module, type Type } from '@nestjs/common';
import { AccessRefusalLog } from '../../audit/tally/access-refusal-log.ts';
import { AuditModule } from '../../audit/audit.module.ts';
import { ACCESS_STEPS } from '../../../platform/common/access/access.guard.ts';
import { ParameterGuard } from '../../../platform/common/access/parameter.guard.ts';
import { RefusalObserver } from '../../../platform/common/problem/refusal-observer.ts';
import { ScopeGuard } from '../../../platform/common/access/scope.guard.ts';
import { RateLimitGuard } from '../../rate-limit/rate-limit.guard.ts';
import { RateLimitModule } from '../../rate-limit/rate-limit.module.ts';
import { ApiTokenModule } from '../api-token.module.ts';
import { AuthenticationGuard } from './authentication.guard.ts';

/** Guards every call to a handler of any module. */
@Module({})
export class AccessModule {
  /** @param guards guards of the application, which run first */
  static with(guards: readonly Type<CanActivate>[] = []): DynamicModule {
    return {
      module: AccessModule,
      global: true,
      imports: [ApiTokenModule, AuditModule, RateLimitModule],
      providers: [
        ...guards,
        AuthenticationGuard,
        ScopeGuard,
        ParameterGuard,
        {
          provide: ACCESS_STEPS,
          inject: [...guards, AuthenticationGuard, RateLimitGuard, ScopeGuard, ParameterGuard],
          useFactory: (...steps: CanActivate[]) => steps,
        },
        { provide: RefusalObserver, useExisting: AccessRefusalLog },
      ],
      exports: [ACCESS_STEPS, RefusalObserver],
    };
  }
}
