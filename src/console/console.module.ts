import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiTokenModule } from '../api-token/api-token.module.ts';
import { AuditModule } from '../audit/audit.module.ts';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { RateLimitModule } from '../rate-limit/rate-limit.module.ts';
import { WorkspaceModule } from '../workspace/workspace.module.ts';
import { ConsoleSessionExpiry } from './console-session-expiry.ts';
import { ConsoleSessionController } from './console-session.controller.ts';
import { ConsoleSession } from './console-session.entity.ts';
import { ConsoleSessionGuard } from './console-session.guard.ts';
import { ConsoleSessionRepository } from './console-session.repository.ts';
import { ConsoleSessionService } from './console-session.service.ts';
import { ConsoleSite } from './console-site.ts';
import { AttemptCookie } from './openid/attempt-cookie.ts';
import { IdentityProvider } from './openid/identity-provider.ts';
import { PersonSignIn } from './openid/person-sign-in.ts';
import { SignInController } from './openid/sign-in.controller.ts';
import { SessionWatches } from './session-watches.ts';

/** The sessions of the console; in an application that takes the user groups in only where it asks for the console. */
@Module({
  imports: [
    TypeOrmModule.forFeature([ConsoleSession], USER_GROUP_DATA_SOURCE),
    ApiTokenModule,
    AuditModule,
    RateLimitModule,
    WorkspaceModule,
  ],
  controllers: [ConsoleSessionController, SignInController],
  providers: [
    AttemptCookie,
    ConsoleSessionExpiry,
    ConsoleSessionGuard,
    ConsoleSessionRepository,
    ConsoleSessionService,
    ConsoleSite,
    IdentityProvider,
    PersonSignIn,
    SessionWatches,
  ],
})
export class ConsoleModule {}
