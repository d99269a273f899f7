import { Module } from '@nestjs/common';
import { port } from '../common/ports.ts';
import { Config } from '../config/config.ts';
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
    port(RateLimitStore, {
      inject: [Config, Redis],
      useFactory: (config: Config, redis: Redis) => new StandardRateLimitStore(config, redis),
    }),
    { provide: Redis, inject: [Config], useFactory: (config: Config) => Redis.of(config) },
  ],
  exports: [FailedAuthenticationLimiter, RateLimitGuard, RateLimits],
})
export class RateLimitModule {}
