import { Module } from '@nestjs/common';
import { FailedAuthenticationLimiter } from './failed-authentication.limiter';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimits } from './rate-limits';
import { Redis } from './redis';

@Module({
  providers: [FailedAuthenticationLimiter, RateLimitGuard, RateLimits, Redis],
  exports: [FailedAuthenticationLimiter, RateLimitGuard, RateLimits],
})
export class RateLimitModule {}
