import { Module } from '@nestjs/common';
import { Config } from '../config/config';
import { FailedAuthenticationLimiter } from './failed-authentication.limiter';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimits } from './rate-limits';
import { Redis } from './redis';

@Module({
  providers: [
    FailedAuthenticationLimiter,
    RateLimitGuard,
    RateLimits,
    { provide: Redis, inject: [Config], useFactory: (config: Config) => Redis.of(config) },
  ],
  exports: [FailedAuthenticationLimiter, RateLimitGuard, RateLimits],
})
export class RateLimitModule {}
