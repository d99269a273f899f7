import { Module } from '@nestjs/common';
import { ApiTokenModule } from '../../core/api-token/api-token.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { EmbedSessionController } from './embed-session.controller.ts';
import { EmbedSessions } from './embed-sessions.service.ts';
import { forwardAuthCalls } from './forward-auth-calls.ts';
import { ForwardAuthController } from './forward-auth.controller.ts';
import { GatewayGuard } from './gateway/gateway.guard.ts';
import { Viewers } from './viewers.service.ts';
import * as problems from './forward-auth.errors.ts';

@Module({
  imports: [ApiTokenModule],
  controllers: [EmbedSessionController, ForwardAuthController],
  providers: [EmbedSessions, GatewayGuard, Viewers],
})
class ForwardAuthModule {}

export const forwardAuth = defineFeature({
  name: 'forward-auth',
  about: 'Tells gateways who is viewing, for applications that read headers.',
  problems,
  modules: [ForwardAuthModule],
  openapi: async () => (await import('./forward-auth.openapi.ts')).forwardAuthOpenApi,
  mount: (_modules, express, prefix) => {
    const anyCase = !express.enabled('case sensitive routing');
    return { steps: [forwardAuthCalls({ prefix, anyCase })] };
  },
});
