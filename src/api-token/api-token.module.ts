import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WorkspaceModule } from '../workspace/workspace.module';
import { ApiToken } from './api-token.entity';
import { ApiTokenAuthenticator } from './api-token.authenticator';
import { ApiTokenBootstrap } from './api-token.bootstrap';
import { ApiTokenGuard } from './api-token.guard';
import { ApiTokenService } from './api-token.service';
import { ApiTokenUsage } from './api-token-usage';

@Module({
  imports: [TypeOrmModule.forFeature([ApiToken]), WorkspaceModule],
  providers: [
    ApiTokenAuthenticator,
    ApiTokenBootstrap,
    ApiTokenService,
    ApiTokenUsage,
    { provide: APP_GUARD, useClass: ApiTokenGuard },
  ],
  exports: [ApiTokenBootstrap, ApiTokenService],
})
export class ApiTokenModule {}
