import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.ts';
import { IdempotencyModule } from '../idempotency/idempotency.module.ts';
import { RateLimitModule } from '../rate-limit/rate-limit.module.ts';
import { WorkspaceModule } from '../workspace/workspace.module.ts';
import { ApiTokenAuthenticator } from './authentication/api-token.authenticator.ts';
import { ApiTokenBootstrap } from './provisioning/api-token.bootstrap.ts';
import { ApiTokenGuard } from './authentication/api-token.guard.ts';
import { ApiTokenRepository } from './api-token.repository.ts';
import { ApiTokenService } from './api-token.service.ts';
import { ApiTokenUsage } from './authentication/api-token-usage.ts';
import { ApiTokenChanges } from './api-token-changes.ts';
import { HeldApiTokens } from './held-api-tokens.ts';
import { SsoTokens } from './provisioning/sso-tokens.ts';

@Module({
  imports: [AuditModule, IdempotencyModule, RateLimitModule, WorkspaceModule],
  providers: [
    ApiTokenAuthenticator,
    ApiTokenBootstrap,
    ApiTokenChanges,
    ApiTokenRepository,
    ApiTokenService,
    ApiTokenUsage,
    ApiTokenGuard,
    HeldApiTokens,
    SsoTokens,
  ],
  exports: [
    ApiTokenBootstrap,
    ApiTokenGuard,
    ApiTokenRepository,
    ApiTokenService,
    ApiTokenUsage,
    HeldApiTokens,
    SsoTokens,
  ],
})
export class ApiTokenModule {}
