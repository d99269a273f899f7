import { Module } from '@nestjs/common';
import { port } from '../../platform/common/extension/ports.ts';
import { Config } from '../../platform/config/config.ts';
import { ContainedRateLimitStore } from './contained-rate-limit-store.ts';
import { FailedAuthenticationLimiter } from './failed-authentication.limiter.ts';
import { RateLimitGuard } from './rate-limit.guard.ts';
import { RateLimitStore } from './rate-limit-store.ts';
import { RateLimits } from './rate-limits.ts';
import { Redis } from './redis.ts';
import { StandardRateLimitStore } from './standard-rate-limit-store.ts';

@Module({
  providers: [
    FailedAuthenticationLimiter,
    RateLimitGuard,
    RateLimits,
    StandardRateLimitStore,
    port(
      RateLimitStore,
      {
        inject: [StandardRateLimitStore],
        useFactory: (standard: StandardRateLimitStore) => standard,
      },
      (given, standard: StandardRateLimitStore) => new ContainedRateLimitStore(given, standard),
    ),
    { provide: Redis, inject: [Config], useFactory: (config: Config) => Redis.of(config) },
  ],
  exports: [FailedAuthenticationLimiter, RateLimitGuard, RateLimits],
})
export class RateLimitModule {}
