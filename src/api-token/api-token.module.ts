import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { WorkspaceModule } from '../workspace/workspace.module';
import { ApiToken } from './api-token.entity';
import { ApiTokenAuthenticator } from './api-token.authenticator';
import { ApiTokenBootstrap } from './api-token.bootstrap';
import { ApiTokenController } from './api-token.controller';
import { ApiTokenGuard } from './api-token.guard';
import { ApiTokenRepository } from './api-token.repository';
import { ApiTokenService } from './api-token.service';
import { ApiTokenUsage } from './api-token-usage';

@Module({
  imports: [TypeOrmModule.forFeature([ApiToken]), AuditModule, RateLimitModule, WorkspaceModule],
  controllers: [ApiTokenController],
  providers: [
    ApiTokenAuthenticator,
    ApiTokenBootstrap,
    ApiTokenRepository,
    ApiTokenService,
    ApiTokenUsage,
    ApiTokenGuard,
  ],
  exports: [ApiTokenBootstrap, ApiTokenGuard, ApiTokenService],
})
export class ApiTokenModule {}
