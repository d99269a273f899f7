import { Module } from '@nestjs/common';
import { ApiTokenModule } from '../../core/api-token/api-token.module.ts';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { RateLimitModule } from '../../core/rate-limit/rate-limit.module.ts';
import { WorkspaceModule } from '../../core/workspace/workspace.module.ts';
import { ConsoleSessionExpiry } from './session/session-life.ts';
import { ConsoleSessionController } from './session/console-session.controller.ts';
import { ConsoleSessionGuard } from './session/console-session.guard.ts';
import { ConsoleSessionRepository } from './session/console-session.repository.ts';
import { ConsoleSessionService } from './session/console-session.service.ts';
import { ConsoleSite } from './console-site.ts';
import { AttemptCookie } from './openid/attempt-cookie.ts';
import { IdentityProvider } from './openid/identity-provider.ts';
import { PersonSignIn } from './openid/person-sign-in.ts';
import { SignInController } from './openid/sign-in.controller.ts';
import { SessionWatches } from './session/session-watches.ts';

/** The sessions of the console. Applications that embed the service get it on request only. */
@Module({
  imports: [ApiTokenModule, AuditModule, RateLimitModule, WorkspaceModule],
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
