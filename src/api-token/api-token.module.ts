import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { AuditModule } from '../audit/audit.module.ts';
import { RateLimitModule } from '../rate-limit/rate-limit.module.ts';
import { WorkspaceModule } from '../workspace/workspace.module.ts';
import { ApiToken } from './api-token.entity.ts';
import { ApiTokenAuthenticator } from './api-token.authenticator.ts';
import { ApiTokenBootstrap } from './api-token.bootstrap.ts';
import { ApiTokenCounter } from './api-token-counter.ts';
import { ApiTokenGuard } from './api-token.guard.ts';
import { ApiTokenRepository } from './api-token.repository.ts';
import { ApiTokenService } from './api-token.service.ts';
import { ApiTokenUsage } from './api-token-usage.ts';
import { PersonTokens } from './person-tokens.ts';

@Module({
  imports: [
    TypeOrmModule.forFeature([ApiToken], USER_GROUP_DATA_SOURCE),
    AuditModule,
    RateLimitModule,
    WorkspaceModule,
  ],
  providers: [
    ApiTokenAuthenticator,
    ApiTokenBootstrap,
    ApiTokenCounter,
    ApiTokenRepository,
    ApiTokenService,
    ApiTokenUsage,
    ApiTokenGuard,
    PersonTokens,
  ],
  exports: [
    ApiTokenBootstrap,
    ApiTokenCounter,
    ApiTokenGuard,
    ApiTokenService,
    ApiTokenUsage,
    PersonTokens,
  ],
})
export class ApiTokenModule {}
