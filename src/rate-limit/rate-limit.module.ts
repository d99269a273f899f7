import { Module } from '@nestjs/common';
import { FailedAuthenticationLimiter } from './failed-authentication.limiter';
import { RateLimitGuard } from './rate-limit.guard';
import { Redis } from './redis';

@Module({
  providers: [FailedAuthenticationLimiter, RateLimitGuard, Redis],
  exports: [FailedAuthenticationLimiter, RateLimitGuard],
})
export class RateLimitModule {}
